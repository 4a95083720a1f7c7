"""``python -m holdfast ...`` is ``holdfast ...``."""

import os
import sys

from holdfast._command import HoldfastError, find


def main() -> None:
    """Becomes the program: same arguments, same exit status, same process."""
    try:
        program = find()
        os.execv(program, [program, *sys.argv[1:]])
    except (HoldfastError, OSError) as error:
        sys.exit(f"holdfast: {error}")


if __name__ == "__main__":
    main()
