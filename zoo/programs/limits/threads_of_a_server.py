"""A thread per request under a container's pids limit."""
# zoo end: thread-limit
# zoo pids: 60

import threading
import time


class Server:
    def __init__(self):
        self.threads = []

    def handle(self):
        thread = threading.Thread(target=time.sleep, args=(30,), daemon=True)
        thread.start()  # guilty
        self.threads.append(thread)


server = Server()
for _ in range(500):
    server.handle()
