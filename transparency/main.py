"""The command line of tools/transparency."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from transparency import report
from transparency.cases import every_case
from transparency.documented import unknown_names
from transparency.engine import Engine
from transparency.toolbox import Toolbox

ROOT = Path(__file__).parents[1]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/transparency",
        description="Runs programs plain and watched, and tells every difference.",
    )
    default = os.environ.get("HOLDFAST_BIN") or str(ROOT / "build/release/cli/holdfast")
    parser.add_argument("--holdfast", metavar="BIN", default=default, help="the program to try")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="part of a name, or a glob")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (2)")
    parser.add_argument("--list", action="store_true", help="name the cases and end")
    parser.add_argument("--show", action="store_true", help="print differences as they come")
    parser.add_argument("--repeat", type=int, default=1, help="play everything so many times")
    parser.add_argument(
        "--modules",
        metavar="PYTHON",
        default="",
        help="an interpreter that has gevent, uvloop, ...",
    )
    parser.add_argument("--output", metavar="FILE", help="write every difference to FILE")
    parser.add_argument("--faults", type=int, metavar="N", help="N rounds of killing our own")
    parser.add_argument("--seed", type=int, default=None, help="of --faults; printed at its start")
    parser.add_argument("--peers", action="store_true", help="other projects' own test suites")
    parser.add_argument(
        "--quick", action="store_true", help="with --peers: five files of CPython's"
    )
    parser.add_argument(
        "--kernels", action="store_true", help="with --peers: Jupyter's own suites, watched kernels"
    )
    parser.add_argument("--python", metavar="X.Y", action="append", help="with --peers: only these")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    tools = Toolbox(ROOT / "build/transparency", modules_python=arguments.modules)
    cases = Engine(tools, "", arguments.only).chosen(every_case())
    if arguments.list:
        for case in cases:
            print(case.name)
        return 0
    if missing := unknown_names(ROOT / "docs/harm.md", every_case()):
        print(f"docs/harm.md names no case of ours: {', '.join(missing)}", file=sys.stderr)
        return 2
    if not os.access(arguments.holdfast, os.X_OK):
        print(f"tools/transparency: {arguments.holdfast} is not there; build it", file=sys.stderr)
        return 2
    binary = str(Path(arguments.holdfast).resolve())
    if arguments.faults:
        from transparency.faults import inject

        return inject(binary, tools, arguments.faults, arguments.seed, arguments.jobs)
    if arguments.peers:
        from transparency.peers import run_peers

        return run_peers(binary, tools, arguments)
    started = time.monotonic()
    outcomes = []
    cases = cases * arguments.repeat
    for outcome in Engine(tools, binary).play_all(cases, arguments.jobs):
        outcomes.append(outcome)
        report.progress(len(outcomes), len(cases), outcome)
        if arguments.show:
            report.show(outcome)
    if not arguments.show:
        for outcome in outcomes:
            report.show(outcome)
    report.table(outcomes)
    print(f"{time.monotonic() - started:.0f} s")
    if arguments.output:
        report.write(outcomes, Path(arguments.output))
    return 0 if all(outcome.good for outcome in outcomes) else 1
