"""Makes a workspace table to ship from the output of `holdfast fit --calibrate`, from one file or
several.

usage: python bench/fit/table.py FILE... > src/fit/tables/sm_90.txt
"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from holdfast.planner.measure import table_file
from holdfast.planner.measure.table_file import BATCH

Call = tuple[int, ...]
MUCH = 100 << 20
WORTH = 20 << 20  # smaller calls are served from a cached segment even when the GPU is full


def crowded_out(measured: dict[Call, int]) -> set[Call]:
    """Convolutions whose plan found no room, because other processes measured on the same GPU.

    torch then silently takes the next plan. Signs of this: the call needs less than half as much
    per sample as at the batches around it; or nothing, although it needs much at smaller and larger
    batches; or nothing at the largest batch.
    """
    by_shape: dict[Call, list[tuple[int, int, Call]]] = defaultdict(list)
    for call, size in measured.items():
        by_shape[call[:BATCH] + call[BATCH + 1 :]].append((call[BATCH], size, call))
    found = set()
    for rows in by_shape.values():
        rows.sort()
        for batch, size, call in rows:
            # Nearer batches prove nothing: plans do change from one batch to the next.
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
        lines = list(table_file.lines_of(Path(name)))
        calls.update(table_file.measured(line for line in lines if "=" in line))
        if number == 0:
            head = [
                line
                for line in lines
                if "=" not in line and (line.startswith("# Workspaces") or line[:1].isalpha())
            ]
    convolutions = {
        tuple(map(int, call.split()[1:])): sum(map(int, sizes.split()))
        for call, sizes in calls.items()
        if call.startswith("conv ")
    }
    left_out = {f"conv {' '.join(map(str, call))}" for call in crowded_out(convolutions)}
    print("\n".join(head))
    kept = ((call, sizes) for call, sizes in calls.items() if call not in left_out)
    print("\n".join(table_file.compact(kept)))
    print(f"{len(left_out)} calls left out: their plans had found no room", file=sys.stderr)


if __name__ == "__main__":
    main()
