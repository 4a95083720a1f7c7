"""A helper hands results on, but nobody gives it an order: it waits, and so does the loop."""
# zoo end: killed
# zoo root: loader-stall
# zoo outcome: stuck
# zoo then: sleep 9; kill -TERM $PID

import os
import queue
import threading

orders, results = queue.Queue(), queue.Queue()


def serve():
    while True:
        results.put(orders.get() * 2)


class Feeder:
    def next(self):
        return results.get()  # guilty


threading.Thread(target=serve, daemon=True).start()
feeder = Feeder()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
for _ in range(100):
    feeder.next()
