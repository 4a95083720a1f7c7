"""A result is promised and the pool is idle: no task was ever made that keeps the promise."""
# zoo end: killed
# zoo root: loader-stall
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import concurrent.futures
import os

pool = concurrent.futures.ThreadPoolExecutor(2)
print(sum(pool.map(abs, range(8))))
promised = concurrent.futures.Future()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
batch = promised.result()  # guilty
