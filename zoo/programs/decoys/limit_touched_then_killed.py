"""The limit is reached through the page cache and reclaimed; then somebody kills it by hand."""
# zoo end: killed unknown-kill
# zoo memory: 100M
# zoo then: kill -KILL $PID

import os
import time

with open("big.bin", "wb") as file:
    for _ in range(200):
        file.write(bytes(1 << 20))
open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
time.sleep(100)
