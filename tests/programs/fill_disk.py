"""Writes a checkpoint that does not fit."""

import sys
from pathlib import Path

with Path(sys.argv[1]).open("wb") as checkpoint:
    for _ in range(64):
        checkpoint.write(b"x" * (1 << 20))
