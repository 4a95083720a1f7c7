"""Makes a workspace table to ship from what `holdfast fit --calibrate` printed, one file or
several.

usage: python bench/fit/table.py FILE... > src/fit/tables/sm_90.txt
"""

import sys
from pathlib import Path


def main() -> None:
    """The head of the first file, then every measured call once, sorted."""
    head: list[str] = []
    calls: dict[str, str] = {}
    for number, name in enumerate(sys.argv[1:]):
        for line in Path(name).read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                left, _, right = line.partition("=")
                calls[left.strip()] = right.strip()
            elif number == 0 and (line.startswith("# Workspaces") or line[:1].isalpha()):
                head.append(line)
    print("\n".join(head))
    for left in sorted(calls):
        print(f"{left} = {calls[left]}".rstrip())


if __name__ == "__main__":
    main()
