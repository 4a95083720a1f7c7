"""A process beside the watched one that takes all the memory it can get: slowly, or at once."""

import sys
import time

pace = {"slowly": 0.02, "at-once": 0.0}[sys.argv[1]]
kept = []
while True:
    kept.append(bytearray(b"x") * (4 << 20))
    time.sleep(pace)
