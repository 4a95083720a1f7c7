"""The zoo's result as a table and a score, for people."""

import sys

from kit.score import QUESTIONS, Mark, Total

_WIDTHS = {"end": 20, "root": 20, "line": 24, "role": 7, "outcome": 9}


def _paint(text: str, colour: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if sys.stdout.isatty() else text


def _expected(mark: Mark, question: str) -> str:
    scenario = mark.scenario
    wanted = {
        "end": "|".join(scenario.ends),
        "root": "|".join(scenario.roots),
        "line": "|".join(f"{file}:{n}" for file, n in sorted(scenario.lines)),
        "role": scenario.role,
        "outcome": scenario.outcome,
    }
    return wanted[question]


def head() -> str:
    return " ".join(
        ["  " + "program".ljust(38), *(q.ljust(_WIDTHS[q]) for q in QUESTIONS)]
    ).rstrip()


def row(mark: Mark) -> str:
    """One line per program; below it what was expected, if that differs."""
    cells = []
    for question in QUESTIONS:
        right = mark.right[question]
        text = mark.said[question].ljust(_WIDTHS[question])
        cells.append(text if right is not False else _paint(text, "31"))
    sign = _paint("ok", "32") if mark.good else _paint("NO", "31")
    lines = [f"{sign} {mark.scenario.name:38.38}" + " " + " ".join(cells)]
    lines += [
        f"       {question}: expected {_expected(mark, question)}"
        for question in QUESTIONS
        if mark.right[question] is False
    ]
    if mark.sure:
        lines.append("       " + _paint("wrong but certain: " + ", ".join(mark.sure), "1;31"))
    if mark.alarms:
        lines.append("       " + _paint("false alarm: " + ", ".join(mark.alarms), "1;31"))
    lines += [f"       told: {text}" for text in mark.told or ()]
    return "\n".join(line.rstrip() for line in lines)


def summary(total: Total) -> str:
    parts = []
    for question in QUESTIONS:
        right, asked = total.share(question)
        if asked:
            parts.append(f"{question} {right}/{asked} ({100 * right / asked:.1f} %)")
    healthy = sum(m.scenario.healthy for m in total.marks)
    lines = [
        f"{len(total.marks)} programs, {healthy} of them healthy",
        "right: " + ", ".join(parts),
        f"wrong but certain: {len(total.wrong_but_certain)}",
        f"false alarms on healthy programs: {len(total.false_alarms)}",
    ]
    if heard := [m for m in total.marks if m.told is not None]:
        noisy = sum(bool(m.told) for m in heard)
        lines.append(
            f"programs that end well, run without --quiet: {len(heard)}; told what their header "
            f"allows: {noisy}; told anything else: {sum(m.told_wrongly for m in heard)}"
        )
    for why in sorted(set(total.skipped.values())):
        names = sorted(name for name, reason in total.skipped.items() if reason == why)
        lines.append(f"skipped ({why}): {len(names)}: {', '.join(names)}")
    return "\n".join(lines)
