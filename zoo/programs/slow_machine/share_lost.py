"""The server of a shared filesystem stops answering while the samples are read from it."""
# zoo end: killed
# zoo root: io-stall
# zoo outcome: stuck
# zoo tools: bindfs
# zoo beside: sh {zoo}/neighbours/lost_share.sh 24

import os
import time

folder = os.environ["ZOO_DIR"]


def load(number):
    with open(f"{folder}/share/sample_{number}.bin", "rb") as file:  # guilty
        return file.read()  # guilty


while not os.path.exists(folder + "/mounted"):
    time.sleep(0.1)
total = 0
for step in range(10_000):
    total += len(load(step % 200))
    time.sleep(0.05)
    if step == 20:
        with open(folder + "/ready", "w") as file:
            file.write(str(os.getpid()))
