"""A service that waits for the signal to end."""
# zoo end: clean-exit exit-called
# zoo root: killed
# zoo then: sleep 14; kill -TERM $PID
# zoo outcome: died

import os
import signal
import threading

done = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: done.set())
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
done.wait()
