"""Runs the chosen files and prints one table."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from transparency.peers.compare import Compared, compare
from transparency.peers.files import File, of_cpython, of_kernels, of_projects
from transparency.peers.ledger import Ledger
from transparency.peers.suites import CPYTHON, PROJECTS_PYTHON, QUICK
from transparency.toolbox import VERSIONS, Toolbox

_KINDS = {
    "differ": "DIFFERS",
    "watched_only": "only watched",
    "plain_too": "plain too",
    "by_design": "by design",
}


def run_peers(binary: str, tools: Toolbox, arguments: Namespace) -> int:
    """1 if any test never ended watched as it always ended plain."""
    # A shell's background job ignores these signals, and every test would inherit that.
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ledger = Ledger(Path(arguments.output or tools.folder / "peers.jsonl"), binary)
    files = [f for f in _files(tools, arguments, binary) if _wanted(f, arguments.only)]
    # Named files, or a quick look: run them again even if a result is known.
    again = arguments.quick or arguments.kernels or arguments.only != "*"
    known = {} if again else {(c.suite, c.file): c for c in ledger.entries()}
    results = [known[f.suite, f.name] for f in files if (f.suite, f.name) in known]
    missing = [f for f in files if (f.suite, f.name) not in known]
    if results:
        print(f"{len(results)} files were compared before with this build", flush=True)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(compare, file, binary, arguments.repeat) for file in missing]
        for number, done in enumerate(as_completed(waiting), 1):
            compared = done.result()
            ledger.add(compared)
            results.append(compared)
            _tell(f"{number:4}/{len(missing)} ", compared)
    for compared in results:
        if compared.differ or compared.watched_only:
            _tell("again: ", compared)
    _table(results)
    if arguments.kernels:
        _tell_kernels(results)
    return 1 if any(compared.differ for compared in results) else 0


def _files(tools: Toolbox, arguments: Namespace, binary: str) -> list[File]:
    if arguments.kernels:
        return list(of_kernels(tools, tools.folder / "peers", binary))
    if arguments.quick:
        return list(of_cpython(tools, arguments.python or [PROJECTS_PYTHON], QUICK))
    files = [] if arguments.python else list(of_projects(tools, tools.folder / "peers"))
    return files + list(of_cpython(tools, arguments.python or VERSIONS, CPYTHON))


def _wanted(file: File, part: str) -> bool:
    return part == "*" or part in f"{file.suite} {file.name}"


def _tell(prefix: str, compared: Compared) -> None:
    print(f"{prefix}{compared.suite} {compared.file}: {compared.tests} tests", flush=True)
    for kind, word in _KINDS.items():
        for name, text in getattr(compared, kind).items():
            print(f"       {word}: {name}: {text}", flush=True)


def _table(results: Iterable[Compared]) -> None:
    rows: dict[str, list[int]] = {}
    for compared in results:
        kinds = [len(getattr(compared, kind)) for kind in _KINDS]
        for name in (compared.suite, "all"):
            row = rows.setdefault(name, [0] * 6)
            for place, count in enumerate([1, compared.tests, *kinds]):
                row[place] += count
    rows["all"] = rows.pop("all", [0] * 6)
    print(
        "\n| suite | files | tests | differ | now and then, only watched | plain too | by design |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{count:,}" for count in row) + " |")


def _tell_kernels(results: Iterable[Compared]) -> None:
    """The last 20 kernels of each file: one HOLDFAST_HOME keeps no more."""
    ends: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for compared in results:
        ends.update(compared.kernels)
        said.update(compared.said)
    print(f"\n{sum(ends.values())} watched kernels were looked at")
    for what, count in ends.most_common():
        print(f"{count:6}  {what}")
    for what, count in said.most_common():
        print(f"{count:6}  said {what}")
