// Asks a kernel that is starting until it answers: Lab asks once, too early, and then waits.

// A request that comes too early is lost; later ones wait and are answered before a cell runs.
const AGAIN_MS = 500;

export interface IAnswering {
  requestKernelInfo(): Promise<unknown>;
}

/** True once any question was answered; false: not within `patience` milliseconds. */
export async function wake(
  kernel: () => IAnswering | null | undefined,
  patience: number
): Promise<boolean> {
  let answered = () => undefined as void;
  const answer = new Promise<true>(done => (answered = () => done(true)));
  for (const end = Date.now() + patience; Date.now() < end; ) {
    kernel()
      ?.requestKernelInfo()
      .then(answered, () => undefined);
    const pause = new Promise<false>(done => setTimeout(() => done(false), AGAIN_MS));
    if (await Promise.race([answer, pause])) {
      return true;
    }
  }
  return false;
}
