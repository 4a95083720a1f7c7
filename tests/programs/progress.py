"""A progress bar with colours on stderr, as training loops have, and plain lines on stdout."""

import sys

for step in range(0, 101, 10):
    print(f"\r\x1b[32m{step:3d}%|{'█' * (step // 10):10s}|\x1b[0m", end="", file=sys.stderr)
    sys.stderr.flush()
print(file=sys.stderr)
print("loss 0.1")
