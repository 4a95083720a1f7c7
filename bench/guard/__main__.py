#!/usr/bin/env python3
"""The guard on programs that would die and on healthy ones near their limit: prints both tables."""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import results
from groups import find_parent
from runs import HERE, HOLDFAST, Outcome, Program, run
from smallest import table_of_smallest
from tools import tools


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/guard", description=__doc__)
    parser.add_argument("--python", default=sys.executable,
                        help="should have torch, pandas, arrow; with commas: the first that has "
                        "what a program needs")  # fmt: skip
    parser.add_argument("--only", default="", help="programs with one of these in their names")
    parser.add_argument("--cold", action="store_true",
                        help="drop the page cache first: libraries are then charged")  # fmt: skip
    parser.add_argument("--set", choices=("dying", "healthy", "smallest", "both"),
                        default="both")  # fmt: skip
    parser.add_argument("--hold-out", action="store_true",
                        help="programs that were written to judge a change")  # fmt: skip
    parser.add_argument("--no-proof", action="store_true",
                        help="do not run each without the guard first")  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="MIB", help="for all, instead of their own")
    parser.add_argument("--swap", type=int, default=0, metavar="MIB", help="that each may use")
    parser.add_argument("--machine", action="store_true",
                        help="no cgroup: most of the machine's memory is taken away instead "
                        "(needs root, and a machine that nobody else needs)")  # fmt: skip
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--part", default="0/1", metavar="I/N",
                        help="every N-th program, beginning with the I-th")  # fmt: skip
    parser.add_argument("--row", metavar="WHAT",
                        help="also as a row of docs/guard.md, which begins so")  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="show what failing programs said")
    return parser.parse_args()


def can_import(python: str, module: str) -> bool:
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", look], capture_output=True).returncode == 0


def programs_of(pythons: str, name: str, only: str) -> list[Program]:
    """The programs of one set whose libraries are installed."""
    file = str(HERE / "programs" / f"{name}.py")
    listed = subprocess.check_output([pythons.split(",")[0], file, "--list"], text=True)
    known: dict[str, str | None] = {}
    found = []
    for line in listed.splitlines():
        program, megabytes, needs = line.split()
        if needs not in known:
            known[needs] = next((p for p in pythons.split(",") if can_import(p, needs)), None)
            if known[needs] is None:
                print(f"(programs that need {needs} are left out: {pythons} does not have it)")
        if python := known[needs]:
            found.append(Program(program, int(megabytes), [python, file, program]))
    return chosen(found, only)


def nearly_full(programs: list[Program]) -> list[Program]:
    """The programs of the matrix, but they stop in time: at one of three shares."""
    shares = itertools.cycle(("0.80", "0.88", "0.94"))
    return [
        Program(f"{p.name}@{share}", p.megabytes, p.command, {"HF_ENOUGH": share})
        for p, share in zip(programs, shares, strict=False)
    ]


def chosen(programs: list[Program], only: str) -> list[Program]:
    wanted = [word for word in only.split(",") if word]
    return [p for p in programs if not wanted or any(w in p.name for w in wanted)]


def part_of(programs: list[Program], part: str) -> list[Program]:
    begin, step = (int(number) for number in part.split("/"))
    return programs[begin::step]


def dying_programs(asked: argparse.Namespace) -> list[Program]:
    if asked.hold_out:
        return programs_of(asked.python, "hold_out_dying", asked.only)
    dying = programs_of(asked.python, "dying", asked.only)
    return dying + programs_of(asked.python, "matrix", asked.only)


def healthy_programs(asked: argparse.Namespace, folder: Path) -> list[Program]:
    if asked.hold_out:
        return programs_of(asked.python, "hold_out_healthy", asked.only)
    healthy = programs_of(asked.python, "healthy", asked.only)
    healthy += nearly_full(programs_of(asked.python, "matrix", asked.only))
    return healthy + chosen(tools(folder), asked.only)


def limited(programs: list[Program], megabytes: int | None) -> list[Program]:
    return [Program(p.name, megabytes or p.megabytes, p.command, p.environment) for p in programs]


def run_as(asked: argparse.Namespace, program: Program, mode: str) -> Outcome:
    return run(program, mode, cold=asked.cold, swap=asked.swap, machine=asked.machine)


def write_row(asked: argparse.Namespace, which: str, counted: int, outcome: str) -> None:
    if asked.row:
        row = [f"{asked.row}: {which}", str(counted), outcome]
        results.write_rows("guard", "bench/guard --row WHAT", ["", "programs", ""], [row])


def table_of_dying(programs: list[Program], asked: argparse.Namespace) -> bool:
    """Bars: 95 of 100 saved, and no hang, crash or wrong data."""
    count: collections.Counter[str] = collections.Counter()
    print("\n| dies without the guard | limit | without | with --guard=on | |")
    print("| --- | --: | --- | --- | --- |")
    for program in programs:
        without = "(not run)"
        if not asked.no_proof:
            plain = run_as(asked, program, "off")
            without = f"{plain.words}, {plain.kills} killed"
            if not plain.killed:
                print(f"| {program.name} | {program.megabytes} MiB | {without} | - | not counted |")
                continue
        for _ in range(asked.repeat):
            guarded = run_as(asked, program, "on")
            count[guarded.kind] += 1
            how = next((s for s in guarded.said.splitlines() if "SURVIVED" in s), guarded.words)
            print(f"| {program.name} | {program.megabytes} MiB | {without} | {how[:60]} "
                  f"| {guarded.kind} |", flush=True)  # fmt: skip
            if guarded.kind != "saved" and asked.verbose:
                print(guarded.said[-3000:])
    counted = sum(count.values()) - count["not dead"] - count["too slow"]
    if counted:
        others = ("killed", "HANG", "CRASH", "WRONG", "not dead", "too slow")
        words = ", ".join(f"{count[kind]} {kind.lower()}" for kind in others)
        print(f"\n{count['saved']} of {counted} saved ({count['saved'] / counted:.1%}); {words}")
        saved = f"{count['saved']} saved ({count['saved'] / counted:.0%}), {words}"
        write_row(asked, "would die of OOM", counted, saved)
    harmed = count["HANG"] + count["CRASH"] + count["WRONG"]
    return harmed == 0 and count["saved"] >= 0.95 * counted


def table_of_healthy(programs: list[Program], asked: argparse.Namespace) -> bool:
    wrong = counted = 0
    print("\n| healthy | limit | without | peak | with --guard=on | |")
    print("| --- | --: | --- | --: | --- | --- |")
    for program in programs:
        without = "(not run)"
        if not asked.no_proof:
            plain = run_as(asked, program, "off")
            without = plain.words
            if plain.status != 0:
                print(f"| {program.name} | {program.megabytes} MiB | {without} | - | - "
                      "| not counted |")  # fmt: skip
                if asked.verbose:
                    print(plain.said[-3000:])
                continue
        for _ in range(asked.repeat):
            guarded = run_as(asked, program, "on")
            if guarded.kind == "too slow" and not guarded.refused:
                print(f"| {program.name} | {program.megabytes} MiB | {without} | - | too slow "
                      "| not counted |", flush=True)  # fmt: skip
                continue
            counted += 1
            good = guarded.status == 0 and not guarded.refused and not guarded.killed
            wrong += not good
            peak = "-" if guarded.peak is None else f"{guarded.peak:.1%}"
            said = [line for line in guarded.said.splitlines() if line.startswith("reached")]
            print(f"| {program.name} | {program.megabytes} MiB | {without} "
                  f"| {said[0].split()[1] if said else peak} | {guarded.words} "
                  f"| {'' if good else 'REFUSED' if guarded.refused else 'BROKEN'} |",
                  flush=True)  # fmt: skip
            if not good and asked.verbose:
                print(guarded.said[-3000:])
    print(f"\n{wrong} of {counted} disturbed")
    write_row(asked, "healthy", counted, f"{wrong} disturbed")
    return wrong == 0


def main() -> int:
    asked = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    if not Path(HOLDFAST).exists():
        sys.exit(f"bench/guard: no {HOLDFAST}; run make build, or set HOLDFAST_BIN")
    print("the whole machine" if asked.machine else f"cgroup v{find_parent()[1]}")
    os.environ["HF_SWAP"] = "1" if asked.swap else "0"
    good = True
    with tempfile.TemporaryDirectory() as folder:
        if asked.set == "smallest":
            return 0 if table_of_smallest(programs_of(asked.python, "matrix", asked.only)) else 1
        if asked.set != "healthy":
            dying = dying_programs(asked)
            good &= table_of_dying(limited(part_of(dying, asked.part), asked.limit), asked)
        if asked.set != "dying":
            healthy = healthy_programs(asked, Path(folder))
            good &= table_of_healthy(limited(part_of(healthy, asked.part), asked.limit), asked)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
