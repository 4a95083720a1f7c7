"""Works for a while as a training program does, with threads, then prints its own memory map."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

kept: list[object] = []
leave = threading.Event()


def work(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kept.append([bytearray(100_000), {i: str(i) for i in range(200)}])
        del kept[:-50]


threads = [threading.Thread(target=leave.wait) for _ in range(8)]
for thread in threads:
    thread.start()
work(float(sys.argv[1]))
sys.stdout.write(Path("/proc/self/smaps").read_text())
leave.set()
