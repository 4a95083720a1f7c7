"""The differences that watching cannot avoid, each with its reason: see docs/harm.md."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """Lines of `aspect` that match `lines` are left out of the comparison of these cases."""

    cases: str
    aspect: str
    lines: str
    reason: str

    def holds_for(self, case: str, aspect: str) -> bool:
        return fnmatch.fnmatch(case, self.cases) and fnmatch.fnmatch(aspect, self.aspect)

    def without(self, text: bytes) -> bytes:
        wanted = re.compile(self.lines.encode())
        lines = text.splitlines(keepends=True)
        return b"".join(line for line in lines if not wanted.search(line))


EXPECTED: tuple[Expected, ...] = (
    Expected(
        "companions.preload-missing",
        "stderr",
        r"^ERROR: ld.so: object '/no/such/library.so'",
        "the loader complains once per program it starts, and `holdfast` is one more",
    ),
    Expected(
        "companions.preload-facts.faketime",
        "stdout",
        r"^descriptor [34] ",
        "faketime has set itself up in `holdfast` already, and its clock is shared",
    ),
    Expected(
        "*",
        "*",
        r"SigCgt:\t",
        "the agent handles the signals of a crash, to record it; sigaction answers as without it",
    ),
    Expected(
        "surroundings.s*",
        "*",
        r"^environment (LD_PRELOAD|HOLDFAST_RUN|HOLDFAST_FILTERS)=",
        "a statically linked program sees the three variables that its children need; in others"
        " the agent hides them",
    ),
    Expected(
        "visible.parent*",
        "stdout",
        r"^(grand)?child$|^python|^holdfast$|^its new parent",
        "`holdfast run` stands between whoever started it and the program",
    ),
    Expected(
        "visible.*-leader",
        "*",
        r"^leads the",
        "`holdfast run` is the leader where a program would be one from its start",
    ),
    Expected("visible.libraries", "*", r"^[0-9]+$|^exit", "the agent is a library in the program"),
    Expected(
        "visible.environ-file",
        "*",
        r"^[0-9]+$|^exit",
        "the kernel keeps the environment as it was at the start",
    ),
    Expected(
        "visible.environ-of-static",
        "stdout",
        r"^environment (LD_PRELOAD|HOLDFAST_RUN|HOLDFAST_FILTERS)=",
        "a statically linked program sees the three variables that its children need",
    ),
    Expected(
        "visible.python.*",
        "stdout",
        r"^(objects since|events:|files:)",
        "what the agent's functions allocate and do in the interpreter counts there",
    ),
    Expected(
        "visible.parent-death",
        "stdout",
        r"^outlived it$",
        "the parent whose death the program asks to be told of is `holdfast run`",
    ),
    Expected("visible.records", "stdout", r"^[01]$", "the record of the run"),
    Expected("visible.underscore", "stdout", r"^/", "a shell names there what it started"),
    Expected(
        "limits.*",
        "stderr",
        r"^holdfast: .*; the command runs on, unobserved$",
        "where the system refuses what we need, one line says that nothing is recorded",
    ),
    Expected(
        "sandboxes.systemd.narrow.kill.*",
        "stderr",
        r"^holdfast: a seccomp filter forbids to watch; the command runs on, unobserved$",
        "a filter that kills for what watching takes leaves the program alone",
    ),
    Expected(
        "limits.descriptors-3",
        "std*",
        r"",
        "`holdfast` itself cannot be loaded with so few descriptors",
    ),
    Expected(
        "limits.processes-last",
        "std*",
        r"",
        "our own processes count for the user, who had no more to spare",
    ),
    Expected(
        "limits.address-space-6000",
        "std*",
        r"",
        "`holdfast` itself cannot be loaded into so little address space",
    ),
    Expected(
        "limits.address-space-12000",
        "std*",
        r"",
        "`holdfast` itself cannot be loaded into so little address space",
    ),
    Expected(
        "surroundings.environment-empty-preload",
        "stdout",
        r"^environment LD_PRELOAD=$",
        "a list of preloads that is empty is taken for none",
    ),
    Expected(
        "surroundings.*.pending",
        "stdout",
        r"^signal 10 is pending$|ShdPnd:\t",
        "a signal that was pending before the start reaches the program a moment later",
    ),
    Expected(
        "limits.data-4000",
        "*",
        r"",
        "the agent's own data, 250 KiB, counts for the program, which had less to spare",
    ),
    Expected(
        "pythons.3.[89].facts",
        "stdout",
        r"^modules ",
        "before 3.10 the list of exit functions belongs to the module atexit, so the program must"
        " find the one that the agent made",
    ),
    Expected(
        "signals.stop*",
        "*",
        r"^(True|False|19)$",
        "a parent is told of a stop only at a terminal, where somebody can continue the program",
    ),
)


def without_expected(case: str, aspect: str, text: bytes) -> tuple[bytes, list[Expected]]:
    used = []
    for each in EXPECTED:
        if each.holds_for(case, aspect):
            less = each.without(text)
            if less != text:
                used.append(each)
            text = less
    return text, used
