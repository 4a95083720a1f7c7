// Closes Jupyter's own "Kernel Restarting" if the cause is known: one message, not two.

import { Dialog } from '@jupyterlab/apputils';

// The server notices a death up to 3 s after the kernel's last words, later on a busy machine.
const EXPECTED_FOR = 15_000;

/** The part of a dialog that matters here; Lab's Dialog fits. */
export interface IDialog {
  readonly node: HTMLElement;
  reject(): void;
}

/** It has one button, and its text contains the notebook's path, in any language. */
export function isAboutRestart(dialog: IDialog, path: string): boolean {
  const body = dialog.node.querySelector('.jp-Dialog-body')?.textContent ?? '';
  const buttons = dialog.node.querySelectorAll('.jp-Dialog-button');
  return path !== '' && buttons.length === 1 && body.includes(path);
}

/** A closing dialog gives the focus back to the cell in front, and the notebook scrolls there. */
function keepingTheView(act: () => void): void {
  const views = [...document.querySelectorAll('.jp-WindowedPanel-outer')].map(
    node => [node, node.scrollTop] as const
  );
  const back = () => views.forEach(([node, top]) => (node.scrollTop = top));
  act();
  back();
  requestAnimationFrame(back);
}

export class RestartDialogs {
  constructor() {
    Dialog.tracker.widgetAdded.connect((_, dialog) => {
      // Its text is drawn a moment later.
      requestAnimationFrame(() => this.look(dialog));
      setTimeout(() => this.look(dialog), 100);
    });
  }

  /** This notebook's death is reported elsewhere: its dialog may be closed. */
  expect(path: string): void {
    this.expected.set(path, Date.now() + EXPECTED_FOR);
    Dialog.tracker.forEach(dialog => this.look(dialog));
  }

  private look(dialog: IDialog & { isDisposed: boolean }): void {
    for (const [path, until] of this.expected) {
      if (Date.now() > until) {
        this.expected.delete(path);
      } else if (!dialog.isDisposed && isAboutRestart(dialog, path)) {
        this.expected.delete(path);
        keepingTheView(() => dialog.reject());
      }
    }
  }

  private expected = new Map<string, number>();
}
