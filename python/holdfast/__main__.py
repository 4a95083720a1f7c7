"""``python -m holdfast ...`` is ``holdfast ...``."""

import os
import sys

from holdfast._command import HoldfastError, find, not_started


def main() -> None:
    """Becomes the program: same arguments, same exit status, same process."""
    try:
        program = find()
    except HoldfastError as error:
        sys.exit(f"holdfast: {error}")
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"holdfast: {not_started(program, error)}")


if __name__ == "__main__":
    main()
