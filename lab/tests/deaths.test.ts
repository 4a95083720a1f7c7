import { Signal } from '@lumino/signaling';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { DeathWatch, IMessage, IMortal, runOfLastWords } from '../src/deaths';
import { Verdict } from '../src/protocol';
import { verdict } from './samples';

const RUN = '20260101-000000-000-1';

function words(username: string, html: string): IMessage {
  return {
    header: { msg_type: 'display_data', username },
    content: { data: { 'text/html': html } }
  };
}

class Mortal implements IMortal {
  session = { kernel: { id: 'k1' } };
  statusChanged = new Signal<this, string>(this);
  iopubMessage = new Signal<this, IMessage>(this);
}

describe('last words', () => {
  const html = `<div class="holdfast-verdict" data-run="${RUN}" data-slug="x">`;
  test('name their run', () => expect(runOfLastWords(words('holdfast', html))).toBe(RUN));
  test('are not what a living kernel shows', () =>
    expect(runOfLastWords(words('user', html))).toBeNull());
  test('without a run are passed over', () =>
    expect(runOfLastWords(words('holdfast', '<p>'))).toBeNull());
});

describe('a death', () => {
  let mortal: Mortal;
  let seen: string[];
  const why = vi.fn<() => Promise<Verdict | null>>();
  const settle = () => new Promise(done => setTimeout(done));

  beforeEach(() => {
    mortal = new Mortal();
    seen = [];
    why.mockReset().mockResolvedValue(verdict(RUN));
    const api = { absent: false, why, status: vi.fn(), runs: vi.fn(), notebooks: vi.fn() };
    const watch = new DeathWatch<string>(api, () => Promise.resolve());
    watch.died.connect(
      (_, death) => void seen.push(`${death.owner} ${death.verdict.run.id}`)
    );
    watch.follow(mortal, 'notebook');
  });

  test('is told once, whoever tells it', async () => {
    mortal.iopubMessage.emit(words('holdfast', `data-run="${RUN}"`));
    mortal.statusChanged.emit('autorestarting');
    mortal.statusChanged.emit('dead');
    await settle();
    expect(seen).toEqual([`notebook ${RUN}`]);
    expect(why).toHaveBeenCalledWith({ run: RUN });
    expect(why).toHaveBeenCalledWith({ kernel: 'k1' });
  });

  test('is not seen in a restart that somebody asked for', async () => {
    for (const status of [
      'restarting',
      'terminating',
      'starting',
      'idle',
      'busy',
      'unknown'
    ]) {
      mortal.statusChanged.emit(status);
    }
    await settle();
    expect(why).not.toHaveBeenCalled();
  });

  test('whose verdict is not written yet is asked for again', async () => {
    why.mockResolvedValueOnce(null);
    mortal.statusChanged.emit('autorestarting');
    await settle();
    expect(seen).toHaveLength(1);
  });

  test('of a kernel that nobody watched says nothing', async () => {
    why.mockResolvedValue(null);
    mortal.statusChanged.emit('autorestarting');
    await settle();
    expect(seen).toEqual([]);
  });
});
