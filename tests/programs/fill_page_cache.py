"""Writes and reads files larger than the memory limit; the kernel reclaims, nobody is killed."""

import os
import sys
from pathlib import Path

folder, mebibytes = Path(sys.argv[1]), int(sys.argv[2])
block = b"x" * (1 << 20)
with (folder / "large").open("wb") as file:
    for _ in range(mebibytes):
        file.write(block)
    file.flush()
    os.fsync(file.fileno())
with (folder / "large").open("rb") as file:
    while file.read(1 << 20):
        pass
(folder / "large").unlink()
sys.exit(3)
