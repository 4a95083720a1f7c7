"""Prints progress, every difference, and the table at the end."""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from pathlib import Path

from transparency.engine import Outcome


def progress(number: int, total: int, outcome: Outcome) -> None:
    if outcome.skipped:
        word = f"skipped: {outcome.skipped}"
    elif outcome.broken:
        word = "BROKEN"
    elif outcome.unsteady:
        aspects = ", ".join(each.aspect for each in outcome.unsteady)
        word = f"UNSTEADY: two plain runs differ in {aspects}"
    elif outcome.differences:
        aspects = ", ".join(each.aspect for each in outcome.differences)
        word = f"DIFFERS in {aspects} ({outcome.again} of 3 watched runs)"
    elif outcome.expected:
        word = f"as expected ({outcome.status})"
    else:
        word = f"same ({outcome.status})"
    print(f"{number:4}/{total} {outcome.case:<44} {outcome.seconds:5.1f} s  {word}", flush=True)


def show(outcome: Outcome, into=sys.stdout) -> None:
    if outcome.broken:
        print(f"\n{outcome.case}: broken\n{outcome.broken}", file=into)
    for each in [*outcome.differences, *outcome.unsteady]:
        print(f"\n{outcome.case}: {each.aspect}", file=into)
        plain, watched = (
            text.decode(errors="backslashreplace").splitlines()
            for text in (each.plain, each.watched)
        )
        lines = list(difflib.unified_diff(plain, watched, "plain", "watched", lineterm="", n=1))
        for line in lines[:40]:
            print(f"    {line[:200]}", file=into)
        if len(lines) > 40:
            print(f"    ... {len(lines) - 40} more lines", file=into)


def table(outcomes: list[Outcome]) -> None:
    groups: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        group = groups.setdefault(outcome.case.split(".")[0], Counter())
        group["cases"] += 1
        group["skipped"] += bool(outcome.skipped)
        group["differ"] += outcome.steady_difference
        group["sometimes"] += bool(outcome.differences) and not outcome.steady_difference
        group["unsteady"] += bool(outcome.unsteady) and not outcome.differences
        group["broken"] += bool(outcome.broken)
    columns = ["cases", "skipped", "differ", "sometimes", "unsteady", "broken"]
    print(f"\n{'':16}" + "".join(f"{name:>10}" for name in columns))
    total: Counter[str] = Counter()
    for name, counts in groups.items():
        print(f"{name:16}" + "".join(f"{counts[column]:>10}" for column in columns))
        total.update(counts)
    print(f"{'all':16}" + "".join(f"{total[column]:>10}" for column in columns))
    reasons = {(each.cases, each.reason) for outcome in outcomes for each in outcome.expected}
    if reasons:
        print("\nexpected differences seen:")
        for cases, reason in sorted(reasons):
            print(f"  {cases}: {reason}")
    played = total["cases"] - total["skipped"]
    print(f"\n{played} programs run plain and watched, {total['differ']} differences,")
    print(f"{total['sometimes']} more that were seen in some of three runs only")


def write(outcomes: list[Outcome], path: Path) -> None:
    with path.open("w") as stream:
        for outcome in outcomes:
            if not outcome.good:
                print(f"== {outcome.case}", file=stream)
                show(outcome, stream)
