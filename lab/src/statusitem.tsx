// The status bar item: memory against its limit and GPU memory, coloured before the brink.

import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import React from 'react';

import { human, percent } from './format';
import { KernelMonitor } from './monitor';
import { NotebookMemory } from './notebookrows';
import { gpuLevel, Level, memoryLevel, share } from './pressure';
import { Gpu, Watched } from './protocol';

const WORDS: Record<Level, string> = {
  calm: '',
  warning: 'The kernel is short of memory: ',
  brink: 'Memory of the kernel is nearly full: '
};

function Meter(props: { share: number }): React.ReactElement {
  const width = `${Math.round(100 * Math.min(1, Math.max(0, props.share)))}%`;
  return (
    <span className="jp-Holdfast-meter" aria-hidden="true">
      <span style={{ width }} />
    </span>
  );
}

function GpuText(props: { gpu: Gpu }): React.ReactElement | null {
  const { used_bytes, total_bytes } = props.gpu;
  const part = share(used_bytes, total_bytes);
  if (part === null || used_bytes === null || total_bytes === null) {
    return null;
  }
  return (
    <span className="jp-Holdfast-figure" data-level={gpuLevel(props.gpu)}>
      <Meter share={part} />
      GPU {human(used_bytes)} / {human(total_bytes)}
    </span>
  );
}

/** The item's text for a watched kernel. */
export function StatusText(props: {
  status: Watched;
  others?: string;
  busy?: boolean;
  toLimit?: number | null;
  onClick: () => void;
}): React.ReactElement | null {
  const { status } = props;
  if (status.memory_bytes === null) {
    return null;
  }
  const part = share(status.memory_bytes, status.limit_bytes);
  const level = memoryLevel(status, props.toLimit ?? null);
  const figures =
    status.limit_bytes === null
      ? human(status.memory_bytes)
      : `${human(status.memory_bytes)} / ${human(status.limit_bytes)}`;
  const whole =
    part === null
      ? figures
      : `${figures}, ${percent(part)} of the ${status.limit_name || 'limit'}`;
  // The trouble of a cell that has ended is shown in the cell.
  const trouble = status.trouble && props.busy ? `${status.trouble} ` : '';
  return (
    <button
      type="button"
      className="jp-Holdfast-status"
      data-level={level}
      title={`Holdfast: ${trouble}${whole}. ${props.others ?? ''}Click for the curve and the lines that hold it.`}
      aria-label={`Memory of the kernel: ${whole}`}
      onClick={props.onClick}
    >
      <span className="jp-Holdfast-figure" data-level={level}>
        {part !== null && <Meter share={part} />}
        {figures}
      </span>
      {trouble && <span className="jp-Holdfast-trouble">{trouble}</span>}
      {status.gpus.map((gpu, i) => (
        <GpuText key={i} gpu={gpu} />
      ))}
      <span role="status" className="jp-Holdfast-spoken">
        {trouble}
        {level === 'calm'
          ? ''
          : `${WORDS[level]}${part === null ? '' : percent(part)}. ${props.others ?? ''}`}
      </span>
    </button>
  );
}

export class StatusItem extends ReactWidget {
  constructor(
    private monitor: KernelMonitor,
    private onClick: () => void,
    private memory: NotebookMemory
  ) {
    super();
    this.addClass('jp-Holdfast-statusItem');
  }

  protected render(): React.ReactElement {
    return (
      <UseSignal signal={this.monitor.changed}>
        {() => {
          const status = this.monitor.status;
          return status?.watched ? (
            <StatusText
              status={status}
              others={this.memory.others}
              busy={this.monitor.busy}
              toLimit={this.monitor.toLimit}
              onClick={this.onClick}
            />
          ) : null;
        }}
      </UseSignal>
    );
  }
}
