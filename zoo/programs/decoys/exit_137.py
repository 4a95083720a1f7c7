"""Chooses 137 as its own exit status: nobody was killed."""
# zoo end: exit-called

import sys

sys.exit(137)  # guilty
