"""A program with a Loader, killed with SIGKILL at random moments and resumed from its last state.

usage: kills.py DATA STATE      one life: resumes from STATE, prints a line for each batch
"""

import hashlib
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path


def main():
    import numpy as np

    from holdfast import Loader

    data, state = sys.argv[1], Path(sys.argv[2])

    def noisy(pair, rng):
        row, number = pair
        return row + rng.random(row.shape, np.float32), number  # each sample's own random numbers

    options = {"budget": "8MiB", "batch": 32, "seed": 7, "as_": "numpy", "map": noisy}
    with Loader((f"{data}/kills-x.npy", f"{data}/kills-y.npy"), **options) as loader:
        if state.exists():
            loader.load_state_dict(json.loads(state.read_text()))
        for x, y in loader:
            rows = [hashlib.sha256(row.tobytes()).hexdigest()[:16] for row in x]
            print(json.dumps([y.tolist(), rows, loader.state_dict()]), flush=True)
            time.sleep(0.01)  # a step of training


def kill_often(command, folder, kills):
    """Runs until the epoch is over. Returns kills, batches, and those of a run without a kill."""
    import numpy as np

    count = 160 * kills  # more than this many short lives can read
    np.save(folder / "kills-x.npy", np.random.default_rng(0).random((count, 64), np.float32))
    np.save(folder / "kills-y.npy", np.arange(count))
    state = folder / "kills-state.json"
    state.unlink(missing_ok=True)
    whole, _, _ = _life(command, folder, state, None)
    if len(whole) != count:
        sys.exit("the run without a kill was not whole")
    dice = random.Random(1)
    seen, done = [], 0
    while True:
        patience = dice.uniform(0.0, 0.06) if done < kills else None
        some, killed, last = _life(command, folder, state, patience)
        seen += some
        done += killed
        if last is not None:
            state.write_text(json.dumps(last))
        if not killed:
            return done, seen, whole


def _life(command, folder, state, patience):
    """One process; killed so many seconds after its first batch, or not at all."""
    child = subprocess.Popen([*command, str(folder), str(state)], stdout=subprocess.PIPE, text=True)
    seen, last, timer = [], None, None
    for line in child.stdout:
        if not line.endswith("\n"):
            break  # it died while it wrote this line: the batch does not count
        numbers, rows, last = json.loads(line)
        seen += list(zip(numbers, rows))
        if timer is None and patience is not None:
            timer = threading.Timer(patience, child.kill)
            timer.start()
    child.stdout.close()
    if timer is not None:
        timer.join()
    return seen, child.wait() == -9, last


if __name__ == "__main__":
    main()
