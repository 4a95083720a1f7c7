"""Starts a thread per request below a container's pids limit."""
# zoo end: thread-limit
# zoo pids: 40

import threading
import time


def serve():
    time.sleep(60)


threads = []
for _ in range(200):
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()  # guilty
    threads.append(thread)
