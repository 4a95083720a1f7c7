"""A pool of processes below a container's pids limit."""
# zoo end: thread-limit
# zoo pids: 12

import multiprocessing
import time

processes = []
for _ in range(40):
    process = multiprocessing.Process(target=time.sleep, args=(30,), daemon=True)
    process.start()  # guilty
    processes.append(process)
