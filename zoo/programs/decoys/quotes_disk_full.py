"""The message of an exception quotes another program's words about a full disk."""
# zoo end: exit-called

import sys

print("worker said: OSError: [Errno 28] No space left on device", file=sys.stderr)
print("configuration is invalid, see above", file=sys.stderr)
print("usage: train --config FILE", file=sys.stderr)
sys.exit(2)  # guilty
