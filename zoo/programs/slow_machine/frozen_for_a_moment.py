"""The disk is frozen for a snapshot, for six seconds; the program goes on and finishes."""
# zoo end: clean-exit
# zoo tools: fsfreeze mkfs.ext4
# zoo disk: 64M ext4
# zoo beside: sh {zoo}/neighbours/freeze.sh 6

import os
import time

folder = os.environ["ZOO_DIR"]
for step in range(120):
    with open(f"{folder}/disk/step_{step % 5}.bin", "wb") as file:
        file.write(bytes(100_000))
    time.sleep(0.05)
    if step == 20:
        with open(folder + "/ready", "w") as file:
            file.write(str(os.getpid()))
