// Which trials of a row this process plays, several kinds in turns, until its time is up.

export interface ITurns {
  count: number; // of each kind, in all processes together
  first: number;
  step: number; // as many processes play the row
  seconds: number;
}

export interface ITally {
  yes: number;
  played: number;
}

/** Those of this process; no more come once its time is up. */
export function* numbers(turns: ITurns): Generator<number> {
  const end = Date.now() + 1000 * turns.seconds;
  for (let i = turns.first; i < turns.count && Date.now() < end; i += turns.step) {
    yield i;
  }
}

const LONGEST_TRIAL = 300_000; // long enough for a busy machine

async function within<T>(milliseconds: number, trial: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('it did not end')), milliseconds);
  });
  return Promise.race([trial, late]).finally(() => clearTimeout(timer));
}

/** A trial that fails did not go as it should; `after` tidies up, and the others go on. */
export async function inTurns<Kind extends string>(
  turns: ITurns,
  kinds: Record<Kind, (i: number) => Promise<boolean>>,
  after: () => Promise<void>
): Promise<Record<Kind, ITally>> {
  const names = Object.keys(kinds) as Kind[];
  const tallies = Object.fromEntries(
    names.map(name => [name, { yes: 0, played: 0 }])
  ) as Record<Kind, ITally>;
  const end = Date.now() + 1000 * turns.seconds;
  for (const i of numbers(turns)) {
    for (const name of names) {
      if (Date.now() > end) {
        return tallies;
      }
      const good = await within(LONGEST_TRIAL, kinds[name](i)).catch(
        async (error: unknown) => {
          console.error(`  ${name} ${i} failed: ${String(error)}`);
          await after();
          return false;
        }
      );
      tallies[name].played += 1;
      tallies[name].yes += Number(good);
    }
  }
  return tallies;
}
