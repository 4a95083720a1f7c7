"""Cells that the guard refuses memory, and how many name what holds it; and healthy cells."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence

from bench.jupyter.place import Place
from bench.jupyter.restarts import kernel

# First cell, refused cell, the variable and keeper that must be named; one line each for a console.
REFUSED = (
    (
        "history = []",
        "[history.append(bytearray(b'x') * (4 << 20)) for _ in range(9999)]",
        "history",
    ),
    (
        "import types; model = types.SimpleNamespace(cache={}, steps=3)",
        "[model.cache.setdefault(n, bytearray(b'x') * (2 << 20)) for n in range(9999)]",
        "model.cache",
    ),
    (
        "import numpy as np; train = np.ones((17, 1 << 20)); labels = np.ones(1 << 20)",
        "scaled = train * 2",
        "train",
    ),
    (
        "load = lambda rows: [rows.append('x' * (3 << 20)) for _ in range(9999)]",
        "load([])",
        "rows in <lambda>()",
    ),
    (
        "log = {'loss': [], 'name': 'run'}; small = [1, 2, 3]",
        "[log['loss'].append(b'x' * (2 << 20)) for _ in range(9999)]",
        'log["loss"]',
    ),
    # Growth by small blocks: nothing is left when the last one is refused.
    ("rows = []", "[rows.append({'id': n, 'name': 'row %d' % n}) for n in range(10**8)]", "rows"),
    ("words = []", "[words.append('some word %d' % n) for n in range(10**8)]", "words"),
    ("losses = []", "[losses.append(n * 0.5) for n in range(10**8)]", "losses"),
    ("table = {}", "[table.setdefault('key %d' % n, n) for n in range(10**8)]", "table"),
    ("seen = set()", "[seen.add('id %d' % n) for n in range(10**8)]", "seen"),
    ("pairs = []", "[pairs.append((n, n * 1.5, None)) for n in range(10**8)]", "pairs"),
    (
        "import numpy as np; parts = []",
        "[parts.append(np.ones(1000)) for _ in range(10**8)]",
        "parts",
    ),
    (
        "import numpy as np; tiny = []",
        "[tiny.append(np.ones(4)) for _ in range(10**8)]",
        "tiny",
    ),
    (
        "import types; nodes = []",
        "[nodes.append(types.SimpleNamespace(number=n)) for n in range(10**8)]",
        "nodes",
    ),
    (
        "import json; text = json.dumps([{'a': n, 'b': [n], 'c': str(n)} for n in range(2000)]); "
        "docs = []",
        "[docs.append(json.loads(text)) for _ in range(10**8)]",
        "docs",
    ),
    (
        "import collections; groups = collections.defaultdict(list)",
        "[groups[n % 999].append('item %d' % n) for n in range(10**8)]",
        "groups",
    ),
    (
        "import collections; queue = collections.deque()",
        "[queue.append('item %d' % n) for n in range(10**8)]",
        "queue",
    ),
    (
        "import functools; price = functools.lru_cache(None)(lambda n: 'price %d' % n)",
        "[price(n) for n in range(10**8)]",
        "price",
    ),
    (
        "import csv; lines = ['%d,%d,text %d' % (n, n, n) for n in range(3000)]; entries = []",
        "[entries.extend(csv.reader(lines)) for _ in range(10**8)]",
        "entries",
    ),
    (
        "load = lambda found: [found.append({'id': n}) for n in range(10**8)]",
        "load([])",
        "found in <lambda>()",
    ),
)
HEALTHY = (
    "kept = bytearray(64 << 20); 1 / 0",
    "raise ValueError('not enough memory in my head')",
    "import numpy as np; x = np.ones(4 << 20) * 2; x.sum()",
    "print('fine')",
)
HEAD = "Holdfast "
Run = Callable[[Place, Sequence[str]], list[str]]


def named_right(run: Run, place: Place, number: int) -> bool:
    """Whether a refused cell says so, with the right variable first."""
    place.environment["HOLDFAST_GUARD"] = "on"
    first, second, wanted = REFUSED[number % len(REFUSED)]
    shown = run(place, [first, second, "print('alive')"])
    lines = shown[1].splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith(HEAD)]
    said = " ".join(lines[heads[0] + 1].split()) if heads else ""
    if wanted not in said:
        print(f"  not named: {wanted}; {said or shown[1][:400]!r}", file=sys.stderr)
    return wanted in said


def says_nothing(run: Run, place: Place, number: int) -> bool:
    """Whether a cell that was refused nothing shows no text of ours."""
    place.environment["HOLDFAST_GUARD"] = "on"
    shown = run(place, ["x = 1", HEALTHY[number % len(HEALTHY)]])
    return not any("Holdfast" in one or "largest " in one for one in shown)


def error_to_words(place: Place, numbers: Iterable[int]) -> list[float]:
    """Seconds from a refused cell's error to its panel, as a client receives them."""
    return sorted(_error_to_words(place, *REFUSED[number % len(REFUSED)][:2]) for number in numbers)


def _error_to_words(place: Place, first: str, second: str) -> float:
    failed = 0.0
    with kernel(place, "held") as (_, client):
        client.execute_interactive(first, timeout=600, output_hook=lambda message: None)
        request = client.execute(second)
        while True:
            message = client.get_iopub_msg(timeout=600)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "error":
                failed = time.monotonic()
            elif message["msg_type"] == "display_data":
                return time.monotonic() - failed
