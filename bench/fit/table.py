"""Makes a workspace table to ship from what `holdfast fit --calibrate` printed, one file or
several.

usage: python bench/fit/table.py FILE... > src/fit/tables/sm_90.txt
"""

import sys
from collections import defaultdict
from pathlib import Path

Call = tuple[int, ...]
BATCH = 6  # where a convolution's integers have the batch
MUCH = 100 << 20
WORTH = 20 << 20  # smaller ones are served from a cached segment even when the GPU is full


def crowded_out(measured: dict[Call, int]) -> set[Call]:
    """Convolutions whose plan found no room, because others measured on the same GPU.

    torch then takes the next plan without a word. It shows when the same call needs more than
    twice as much by the sample at the batches around it, or nothing at all amid many that need
    much, or nothing at the largest batch.
    """
    by_shape: dict[Call, list[tuple[int, int, Call]]] = defaultdict(list)
    for call, size in measured.items():
        by_shape[call[:BATCH] + call[BATCH + 1 :]].append((call[BATCH], size, call))
    found = set()
    for rows in by_shape.values():
        rows.sort()
        for batch, size, call in rows:
            # Nearer ones tell nothing: plans do change from one batch to the next.
            lower = [row for row in rows if 2 * row[0] <= batch]
            upper = [row for row in rows if row[0] >= 2 * batch]
            if not lower:
                continue
            around = (lower[-1], *upper[:1])
            expected = min(other * batch / at for at, other, _ in around)
            if expected > WORTH and size < (expected / 2 if len(around) == 2 else 1):
                found.add(call)
            below = [row for row in lower if row[1]]
            above = [row for row in upper if row[1]]
            if size == 0 and below and above:
                ends = (below[-1], above[0])
                if min(other * batch / at for at, other, _ in ends) > MUCH:
                    found.add(call)
    return found


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
    convolutions = {
        tuple(map(int, left.split()[1:])): sum(map(int, right.split()))
        for left, right in calls.items()
        if left.startswith("conv ")
    }
    left_out = crowded_out(convolutions)
    print("\n".join(head))
    for left in sorted(calls):
        name, *values = left.split()
        if name != "conv" or tuple(map(int, values)) not in left_out:
            print(f"{left} = {calls[left]}".rstrip())
    print(f"{len(left_out)} calls left out: their plans had found no room", file=sys.stderr)


if __name__ == "__main__":
    main()
