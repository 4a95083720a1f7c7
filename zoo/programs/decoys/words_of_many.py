"""An error whose text is full of other causes."""
# zoo end: exception

import sys


def check(config):
    print("RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.", file=sys.stderr)
    if config["batch"] > 64:
        raise ValueError("batch too large: CUDA out of memory was seen above 64, No space left on device")  # guilty


check({"batch": 128})
