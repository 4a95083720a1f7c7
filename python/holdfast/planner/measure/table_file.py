"""Workspace tables and lists of calls as text: what `holdfast fit --calibrate` writes and reads.

A line is "name integers... = bytes...". A table to ship has all batches of a convolution on one
line, "conv integers... = batch:bytes ...", with a batch of 0 among the integers.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

BATCH = 6  # the batch's place among a convolution's integers


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file, compressed or not."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        for line in file:
            yield line.rstrip("\n")


def measured(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(call, bytes) of every line that is a call; the bytes are empty in a mere list of calls."""
    for line in lines:
        call, _, sizes = (part.strip() for part in line.partition("="))
        if not call or call.startswith("#"):
            continue
        if ":" not in sizes:
            yield call, sizes
            continue
        name, *values = call.split()
        for pair in sizes.split():
            values[BATCH], _, size = pair.partition(":")
            yield " ".join((name, *values)), size


def compact(calls: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The lines of a table to ship, sorted."""
    shapes: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    others = []
    for call, sizes in calls:
        name, *values = call.split()
        if name != "conv":
            others.append(f"{call} = {sizes}".rstrip())
            continue
        batch, values[BATCH] = values[BATCH], "0"
        shapes[tuple(values)].append((int(batch), sizes))
    for shape, samples in sorted(shapes.items()):
        pairs = " ".join(f"{at}:{size}" for at, size in sorted(samples))
        yield f"conv {' '.join(shape)} = {pairs}"
    yield from sorted(others)
