"""Somebody makes a snapshot of the disk that never ends: the next checkpoint is never written."""
# zoo end: killed
# zoo root: io-stall
# zoo outcome: stuck
# zoo tools: fsfreeze mkfs.ext4
# zoo disk: 64M ext4
# zoo beside: sh {zoo}/neighbours/freeze.sh 24 then-stop

import os
import pickle
import time

folder = os.environ["ZOO_DIR"]


def save(step, weights):
    path = f"{folder}/disk/step_{step}.pickle"
    with open(path, "wb") as file:  # guilty
        pickle.dump(weights, file)  # guilty


weights = [0.5] * 50_000
for step in range(10_000):
    weights = [weight * 0.999 for weight in weights]
    time.sleep(0.05)
    save(step % 5, weights)
    if step == 20:
        with open(folder + "/ready", "w") as file:
            file.write(str(os.getpid()))
