"""Fills its memory limit up to a share and stays there for a while, then ends well.

usage: guard_fill.py SHARE SECONDS       the cgroup's folder is in HF_GROUP
"""

import os
import sys
import time
from pathlib import Path

MIB = 1 << 20
GROUP = Path(os.environ["HF_GROUP"])


def number(*names: str) -> int:
    return next(int((GROUP / name).read_text()) for name in names if (GROUP / name).exists())


def main() -> None:
    share, seconds = float(sys.argv[1]), float(sys.argv[2])
    limit = number("memory.limit_in_bytes", "memory.max")
    kept = []
    while number("memory.usage_in_bytes", "memory.current") < share * limit:
        kept.append(bytearray(b"x") * MIB)
    print("ready", os.getpid(), flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # Churn: blocks come and go while other things happen.
        for _ in range(20):
            kept[0] = None
            kept[0] = bytearray(b"y") * MIB
            objects = [str(i) for i in range(2000)]
        time.sleep(0.01)
    print("finished", len(kept), len(objects), flush=True)


if __name__ == "__main__":
    main()
