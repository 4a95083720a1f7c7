"""A worker is OOM-killed; the parent notices nothing and is killed by hand right afterwards."""
# zoo end: killed unknown-kill
# zoo memory: 200M
# zoo then: kill -KILL $PID

import multiprocessing
import os
import time


def eat():
    kept = []
    while True:
        kept.append(bytearray(b"x" * (4 << 20)))


if __name__ == "__main__":
    worker = multiprocessing.Process(target=eat)
    worker.start()
    worker.join()
    open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
    time.sleep(60)
