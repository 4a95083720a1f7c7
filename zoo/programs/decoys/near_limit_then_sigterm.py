"""Memory fills to nine tenths; then a scheduler asks it to stop."""
# zoo end: killed
# zoo memory: 300M
# zoo then: sleep 2; kill $PID

import os
import time

kept = bytearray(260 << 20)
for i in range(0, len(kept), 4096):
    kept[i] = 1
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
time.sleep(60)
