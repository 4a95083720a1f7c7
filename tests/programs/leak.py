"""Keeps more and more memory, every page touched, until something ends it."""

import sys

stop_at = int(sys.argv[1]) if len(sys.argv) > 1 else None
kept = []
while stop_at is None or len(kept) < stop_at:
    kept.append(bytearray(b"x") * (1 << 20))
