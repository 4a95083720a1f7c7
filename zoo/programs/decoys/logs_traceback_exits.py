"""Prints the traceback of an exception it handled and leaves with a status of its own."""
# zoo end: exit-called

import sys
import traceback

try:
    int("three")
except ValueError:
    traceback.print_exc()
    sys.exit(5)  # guilty
