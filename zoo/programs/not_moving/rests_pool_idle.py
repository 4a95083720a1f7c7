"""Workers of a pool at rest while their parent sleeps."""
# zoo end: killed
# zoo then: sleep 14; kill -TERM $PID

import multiprocessing
import os
import time


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(abs, range(8))
        open(os.environ["ZOO_DIR"] + "/ready", "w").write(str(os.getpid()))
        time.sleep(600)


main()
