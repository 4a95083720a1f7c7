"""Writes a little into a file again and again, as a log does: write_on.py FILE."""

import os
import sys
import time
from pathlib import Path


def keep_writing(path: str) -> None:
    with Path(path).open("wb", buffering=0) as file:
        print("ready", os.getpid(), flush=True)
        while True:
            file.write(b"loss 0.1\n")
            time.sleep(0.05)


keep_writing(sys.argv[1])
