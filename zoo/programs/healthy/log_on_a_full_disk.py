"""The logging module swallows a full disk; the run goes on and finishes."""
# zoo end: clean-exit
# zoo disk: 1M

import logging
import os

path = os.path.join(os.environ["ZOO_DIR"], "disk", "run.log")
logging.basicConfig(filename=path, level=logging.INFO)
logging.raiseExceptions = False
for i in range(300):
    logging.info("step %d %s", i, "x" * 10_000)
os.truncate(path, 0)
