"""A task of a pool with one thread waits for another task of the same pool."""
# zoo end: killed unknown-kill
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 12; kill -TERM $PID

import os
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1)


def inner():
    return 1


def outer():
    with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
        file.write(str(os.getpid()))
    return pool.submit(inner).result() + 1  # guilty


print(pool.submit(outer).result())  # guilty
