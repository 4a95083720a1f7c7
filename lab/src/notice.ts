// The notification of a death: one sentence, and what can be done about it.

import { Notification } from '@jupyterlab/apputils';

import { clipped } from './format';
import { headlineOf } from './headline';
import { Verdict } from './protocol';

// Lab cuts longer messages itself, without an ellipsis.
const LONGEST = 140;

/** "train.ipynb: Killed by the kernel ..., at cell [2], line 3". */
export function sentence(document: string, verdict: Verdict): string {
  const { what, where } = headlineOf(verdict.headline);
  const place = where ? `, at ${where}` : '';
  // The place matters more than the end of a long sentence.
  return clipped(`${document}: ${what}`, LONGEST - place.length) + place;
}

export interface IActions {
  openReport: () => void;
  restart?: () => void;
}

export function notify(document: string, verdict: Verdict, actions: IActions): string {
  const buttons: Notification.IAction[] = [
    {
      label: 'Open report',
      caption: `Evidence and what to change (${verdict.end.code})`,
      displayType: 'accent',
      callback: event => {
        event.preventDefault(); // the notification stays
        actions.openReport();
      }
    }
  ];
  if (actions.restart) {
    buttons.push({
      label: 'Restart and run to here',
      caption: 'Runs the cells above the one that died and stops before it',
      callback: actions.restart
    });
  }
  return Notification.error(sentence(document, verdict), {
    autoClose: false,
    actions: buttons
  });
}
