"""Ctrl-C is caught and turned into the usual status."""
# zoo end: interrupted
# zoo then: sleep 1; kill -INT $PID

import os
import sys
import time

try:
    with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
except KeyboardInterrupt:
    print("stopped")
    sys.exit(130)
