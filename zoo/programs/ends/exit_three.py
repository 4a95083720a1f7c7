"""Checks its input and leaves with a status of its own."""
# zoo end: exit-called

import sys


def main():
    print("no GPU found, giving up", file=sys.stderr)
    sys.exit(3)  # guilty


main()
