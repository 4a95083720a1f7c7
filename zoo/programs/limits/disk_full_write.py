"""A log that fills the disk."""
# zoo end: disk-full
# zoo disk: 8M

import os
import time

path = os.path.join(os.environ["ZOO_DIR"], "disk", "train.log")
with open(path, "w") as log:
    for i in range(100_000):
        log.write(f"step {i}: " + "x" * 5000 + "\n")  # guilty
        log.flush()  # guilty
        if i % 100 == 0:
            time.sleep(0.01)
