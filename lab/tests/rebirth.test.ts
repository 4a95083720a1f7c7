import { describe, expect, test } from 'vitest';

import { Rebirth } from '../src/rebirth';

describe('the kernel after a death', () => {
  test('is fresh once it idles, and until a cell has run in it', () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    rebirth.statusChanged('autorestarting');
    rebirth.statusChanged('starting');
    expect(rebirth.stage).toBe('starting');
    rebirth.statusChanged('idle');
    expect(rebirth.stage).toBe('fresh');
    rebirth.executed();
    expect(rebirth.stage).toBe('used');
  });

  test('is fresh once it has answered, whatever Lab shows', () => {
    const rebirth = new Rebirth();
    rebirth.statusChanged('autorestarting');
    rebirth.answered();
    expect(rebirth.stage).toBe('fresh');
  });

  test('the idle that last words publish is not taken for a new kernel', () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    rebirth.statusChanged('idle');
    expect(rebirth.stage).toBe('mourned');
  });

  test('is dead when the server gave up', () => {
    const rebirth = new Rebirth();
    rebirth.mourn();
    rebirth.statusChanged('dead');
    expect(rebirth.stage).toBe('dead');
  });
});
