"""Compares a verdict with what the program's header expects, and adds up."""

from dataclasses import dataclass, field
from pathlib import Path

from kit.notices import Notice
from kit.scenario import Scenario

QUESTIONS = ("end", "root", "line", "role", "outcome")
# Ends that a refusal of the guard prevents.
OUT_OF_MEMORY = {
    "cgroup-oom",
    "worker-oom",
    "oom-victim",
    "host-oom",
    "alloc-refused",
    "address-limit",
}


@dataclass
class Mark:
    """What one verdict got right. A question that was not asked is None."""

    scenario: Scenario
    right: dict[str, bool | None]
    said: dict[str, str]
    sure: list[str] = field(default_factory=list)  # wrong, but called certain
    alarms: list[str] = field(default_factory=list)  # findings and words about a healthy program
    told: list[str] | None = None  # what it was told rightly; None: nobody listened
    told_wrongly: bool = False

    @property
    def good(self) -> bool:
        return (
            not self.sure and not self.alarms and all(v is not False for v in self.right.values())
        )


def _place(finding: dict) -> tuple[str, int] | None:
    where = finding.get("where")
    if not where or where.get("line") is None:
        return None
    return Path(where["file"]).name, where["line"]


def mark(
    scenario: Scenario,
    verdict: dict,
    notices: list[Notice] | None = None,
    refusals: bool = False,
) -> Mark:
    """With `refusals`, a refusal of the guard is as right as the end that it prevents."""
    end, root = verdict["end"], verdict["root"]
    ends = scenario.ends
    if refusals and OUT_OF_MEMORY & set(ends):
        ends += ("guard-refused",)
    place = _place(root) or _place(end)
    said = {
        "end": end["slug"],
        "root": root["slug"],
        "line": f"{place[0]}:{place[1]}" if place else "-",
        "role": verdict["process"]["role"],
        "outcome": verdict["outcome"],
    }
    right: dict[str, bool | None] = {
        "end": end["slug"] in ends,
        "root": root["slug"] in scenario.roots,
        "line": place in scenario.lines if scenario.lines else None,
        "role": said["role"] in scenario.role.split("|"),
        "outcome": said["outcome"] == scenario.outcome,
    }
    found = [finding["slug"] for finding in verdict["contributing"]]
    # A root that only repeats a right end is not deep, but not false.
    true = {"end": ends, "root": scenario.roots + ends}
    sure = [
        f"{part} {finding['slug']}"
        for part, finding in (("end", end), ("root", root))
        if finding["confidence"] == "certain" and finding["slug"] not in true[part]
    ]
    if right["root"] and root["confidence"] == "certain" and right["line"] is False and place:
        sure.append(f"line {said['line']}")
    if not set(scenario.also) <= set(found) | {root["slug"]}:
        right["root"] = False
        said["root"] += f" without {' '.join(scenario.also)}"
    alarms = sorted(set(found) - set(scenario.also)) if scenario.healthy else []
    if notices is None:
        return Mark(scenario, right, said, sure, alarms)
    allowed = {*scenario.also, *scenario.notices}
    told, unfit = [], []
    for one in notices:
        (told if one.kind in allowed else unfit).append(one.text)
        allowed.discard(one.kind)  # everything is said once
    return Mark(scenario, right, said, sure, alarms + unfit, told, bool(unfit))


@dataclass
class Total:
    """The bars of the zoo."""

    marks: list[Mark]
    skipped: dict[str, str]

    def share(self, question: str) -> tuple[int, int]:
        asked = [m.right[question] for m in self.marks if m.right[question] is not None]
        return sum(bool(r) for r in asked), len(asked)

    @property
    def wrong_but_certain(self) -> list[Mark]:
        return [m for m in self.marks if m.sure]

    @property
    def false_alarms(self) -> list[Mark]:
        return [m for m in self.marks if m.alarms]

    def reaches(self, bars: dict[str, float]) -> bool:
        """Whether every question has enough right answers, and no wrong verdict was certain."""
        if self.wrong_but_certain or self.false_alarms or not self.marks:
            return False
        for question, bar in bars.items():
            right, asked = self.share(question)
            if asked and right < bar * asked:
                return False
        return True
