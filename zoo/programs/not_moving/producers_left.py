"""Processes that fill a queue have ended early and were never joined; the trainer waits for more."""
# zoo end: killed
# zoo root: lock-deadlock loader-stall
# zoo outcome: stuck
# zoo then: sleep 16; kill -TERM $PID

import multiprocessing
import os


def simulate(seed, paths):
    for number in range(3 + seed):
        paths.put((seed, number))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=simulate, args=(seed, queue)) for seed in range(3)]
    for worker in workers:
        worker.start()
    with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
        file.write(str(os.getpid()))
    for _ in range(10):
        rollouts = [queue.get() for _ in workers]  # guilty
