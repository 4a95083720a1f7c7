"""Worker processes that die in every way, under Holdfast and without: what next() says, and when.

usage: deaths.py HOW      one death, in this process; prints {"after": seconds, "said": text}
"""

import ctypes
import json
import mmap
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WAYS = {
    "kill": ("SIGKILL by somebody", "SIGKILL", None),
    "oom": ("killed at the group's memory limit", "SIGKILL", "HF101 cgroup-oom"),
    "segfault": ("a null pointer", "SIGSEGV", "HF301 segfault"),
    "abort": ("abort()", "SIGABRT", "HF307 native-abort"),
}
LIMIT = 256 << 20


class Deadly:
    """A sample in the middle ends its worker, which first notes the time."""

    def __init__(self, how, note, at):
        self.how, self.note, self.at = how, note, at

    def __len__(self):
        return 200

    def __getitem__(self, index):
        if index == self.at:
            with Path(self.note).open("r+b") as file:
                clock = np.frombuffer(mmap.mmap(file.fileno(), 8), np.float64)
            self.end(clock)
        return np.full(4, index, np.float32), index

    def end(self, clock):
        clock[0] = time.monotonic()
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.how == "segfault":
            ctypes.string_at(0)
        elif self.how == "abort":
            os.abort()
        room = mmap.mmap(-1, 4 * LIMIT)  # shared memory: no limit of the process itself counts it
        for at in range(0, len(room), mmap.PAGESIZE):
            room[at] = 1
            if at % (1 << 20) == 0:
                clock[0] = time.monotonic()


def line_of(how):
    """Where in this file a worker dies that way."""
    words = {"kill": "os.kill(", "segfault": "string_at(", "abort": "os.abort(", "oom": "room[at]"}
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words[how] in line)


def main():
    from holdfast import Loader
    from holdfast.loader import WorkerDied

    how, at = sys.argv[1], int(sys.argv[2])
    with tempfile.NamedTemporaryFile() as note:
        note.write(bytes(8))
        note.flush()
        dataset = Deadly(how, note.name, at)
        with Loader(dataset, batch=8, processes=2, budget="32MiB", as_="numpy") as loader:
            try:
                for _ in loader:
                    pass
            except WorkerDied as death:
                after = time.monotonic() - np.frombuffer(Path(note.name).read_bytes(), "f8")[0]
                print(json.dumps({"after": after, "said": str(death)}))


if __name__ == "__main__":
    main()
