"""The parent joins a child that still has to hand over its results."""
# zoo end: killed unknown-kill
# zoo root: lock-deadlock loader-stall
# zoo outcome: stuck
# zoo then: sleep 15; kill -TERM $PID

import multiprocessing
import os


def produce(queue):
    queue.put("x" * (4 << 20))


if __name__ == "__main__":
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=produce, args=(queue,))
    child.start()
    with open(os.path.join(os.environ["ZOO_DIR"], "child"), "w") as file:
        file.write(str(child.pid))
    with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
        file.write(str(os.getpid()))
    child.join()  # guilty
    print(len(queue.get()))
