import { describe, expect, test } from 'vitest';

import { Rebirth } from '../src/rebirth';

describe('the kernel after a death', () => {
  test('is waited for until it idles, and not restarted again', async () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    const fresh = rebirth.fresh(10_000);
    rebirth.statusChanged('autorestarting');
    rebirth.statusChanged('starting');
    rebirth.statusChanged('idle');
    expect(await fresh).toBe(true);
  });

  test('the idle that last words publish is not taken for a new kernel', () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    rebirth.statusChanged('idle');
    expect(rebirth.stage).toBe('mourned');
  });

  test('is restarted once cells have run in it', async () => {
    const rebirth = new Rebirth();
    rebirth.statusChanged('autorestarting');
    rebirth.statusChanged('idle');
    rebirth.executed();
    expect(await rebirth.fresh(0)).toBe(false);
  });

  test('is restarted when the server gave up', async () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    const fresh = rebirth.fresh(10_000);
    rebirth.statusChanged('dead');
    expect(await fresh).toBe(false);
  });

  test('is restarted when nobody brings it back', async () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    expect(await rebirth.fresh(1)).toBe(false);
  });
});
