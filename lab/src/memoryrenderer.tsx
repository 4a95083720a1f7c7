// Shows a kernel's text about its memory as a panel with buttons, in place of its plain HTML.

import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

import { factsOf, MEMORY_MIME, MemoryFacts } from './memoryfacts';
import { MemoryView } from './memoryview';

// One expression each, so that no name stays in the notebook.
const SHOW =
  '__import__("_imp")._holdfast_agent.hook("hooks.cell_memory").show(get_ipython())';
const FREE = 'print("Freed:", __import__("holdfast").free())';
const NOT_INSTALLED =
  'holdfast is not installed in the environment of this kernel: pip install holdfast';

type FindSession = (node: HTMLElement) => ISessionContext | null;

interface IAnswer {
  text: string;
  facts: MemoryFacts | null;
  failed: string;
}

/** Runs one expression when the user presses a button; keeps nothing in the history. */
async function ask(kernel: Kernel.IKernelConnection, code: string): Promise<IAnswer> {
  const answer: IAnswer = { text: '', facts: null, failed: '' };
  const future = kernel.requestExecute({ code, silent: true, store_history: false });
  future.onIOPub = (message: KernelMessage.IIOPubMessage) => {
    const content = message.content as Record<string, unknown>;
    const kind = message.header.msg_type;
    if (kind === 'stream') {
      answer.text += String(content.text);
    } else if (kind === 'display_data') {
      answer.facts = factsOf((content.data as Record<string, unknown>)[MEMORY_MIME]);
    } else if (kind === 'error') {
      answer.failed = String(content.ename);
    }
  };
  await future.done;
  return answer;
}

export class MemoryWidget extends ReactWidget implements IRenderMime.IRenderer {
  constructor(private findSession: FindSession) {
    super();
    this.addClass('jp-Holdfast-memoryWidget');
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.facts = factsOf(model.data[MEMORY_MIME]);
    this.update();
    return this.renderPromise ?? Promise.resolve();
  }

  protected render(): React.ReactElement | null {
    const free = () => void this.act(FREE);
    const showVariables = () => void this.act(SHOW);
    return (
      this.facts && (
        <MemoryView
          facts={this.facts}
          now={this.now}
          said={this.said}
          actions={{ free, showVariables }}
        />
      )
    );
  }

  private async act(code: string): Promise<void> {
    const kernel = this.findSession(this.node)?.session?.kernel;
    if (!kernel) {
      this.say('There is no kernel.');
      return;
    }
    this.say(kernel.status === 'busy' ? 'When the running cell has ended …' : 'A moment …');
    try {
      const answer = await ask(kernel, code);
      if (this.facts?.kind === 'variables') {
        this.facts = answer.facts ?? this.facts;
      } else {
        this.now = answer.facts ?? this.now;
      }
      this.say(
        answer.failed === 'ModuleNotFoundError'
          ? NOT_INSTALLED
          : answer.text || answer.failed
      );
    } catch {
      this.say('The kernel went away.');
    }
  }

  private say(text: string): void {
    this.said = text.trim();
    this.update();
  }

  private facts: MemoryFacts | null = null;
  private now: MemoryFacts | null = null;
  private said = '';
}

export function memoryRenderer(findSession: FindSession): IRenderMime.IRendererFactory {
  return {
    safe: true, // React escapes every text
    mimeTypes: [MEMORY_MIME],
    defaultRank: 20, // before text/html
    createRenderer: () => new MemoryWidget(findSession)
  };
}
