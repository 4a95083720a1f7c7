"""Workers of a pool read from a share; when it goes away, the loop waits for their results."""
# zoo end: killed
# zoo root: io-stall loader-stall
# zoo outcome: stuck
# zoo role: worker
# zoo tools: bindfs
# zoo beside: sh {zoo}/neighbours/lost_share.sh 24

import multiprocessing
import os
import time

folder = os.environ["ZOO_DIR"]


def load(number):
    time.sleep(0.02)
    with open(f"{folder}/share/sample_{number % 200}.bin", "rb") as file:  # guilty
        return len(file.read())  # guilty


if __name__ == "__main__":
    while not os.path.exists(folder + "/mounted"):
        time.sleep(0.1)
    with multiprocessing.Pool(2) as pool:
        for step, size in enumerate(pool.imap(load, range(100_000))):
            if step == 50:
                with open(folder + "/ready", "w") as file:
                    file.write(str(os.getpid()))
