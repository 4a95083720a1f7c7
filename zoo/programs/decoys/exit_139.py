"""Ends with 139 because a tool it ran did, long ago."""
# zoo end: exit-called

import sys

print("Segmentation fault (core dumped)", file=sys.stderr)
sys.exit(139)  # guilty
