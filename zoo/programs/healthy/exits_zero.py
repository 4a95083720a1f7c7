"""Says goodbye with sys.exit(0) from a function."""
# zoo end: clean-exit

import sys


def main():
    sys.exit(0)


main()
