// Asks a kernel that is starting until it answers: Lab asks once, too early, and then waits.

const AGAIN_MS = 300;

export interface IAnswering {
  requestKernelInfo(): Promise<unknown>;
}

/** True once it has answered; false: not within `patience` milliseconds, or it went away. */
export async function wake(
  kernel: () => IAnswering | null | undefined,
  patience: number
): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const asked = kernel()
      ?.requestKernelInfo()
      .then(
        () => true,
        () => false
      );
    const pause = new Promise<false>(done => setTimeout(() => done(false), AGAIN_MS));
    if (await Promise.race([asked ?? pause, pause])) {
      return true;
    }
    await pause;
  }
  return false;
}
