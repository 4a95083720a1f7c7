"""Native code waits for bytes with the interpreter's lock held; the thread that would send them
cannot run."""
# zoo end: killed
# zoo root: lock-deadlock
# zoo outcome: stuck
# zoo then: sleep 16; kill -KILL $PID

import ctypes
import os
import threading
import time

library = ctypes.PyDLL(None)  # keeps the interpreter's lock, as careless extensions do
reading, writing = os.pipe()


def send():
    time.sleep(1)
    os.write(writing, b"x")


threading.Thread(target=send).start()
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
library.read(reading, ctypes.create_string_buffer(1), 1)  # guilty
