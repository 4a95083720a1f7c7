"""One program of the zoo and its header: how it is set up, and the verdict it must get.

A header line is a comment `# zoo KEY: VALUE`. The guilty line ends with `# guilty`; if several do,
each of them is right. docs/zoo.md lists the keys.
"""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

ZOO = Path(__file__).parents[1]
PROGRAMS = ZOO / "programs"
RECORDED = ZOO / "recorded"

_HEADER = re.compile(r"^(?:#|//) zoo ([a-z-]+): (.*)$", re.MULTILINE)
_GUILTY = "# guilty"
_KEYS = {
    "end", "root", "line", "role", "outcome", "also",  # the verdict
    "notices",  # what may be said while it runs
    # the program
    "run", "launcher", "before", "then", "needs", "tools", "native", "environment", "user",
    "stderr",
    "memory", "pids", "shm", "disk", "limits", "kernel-log", "beside",  # its surroundings
    "device", "documented",  # if this machine cannot make it die
}  # fmt: skip


class HeaderError(Exception):
    """A header that makes no sense."""


@dataclass(frozen=True)
class Scenario:
    name: str  # "leaks/kept_losses"
    path: Path
    header: dict[str, str]
    ends: tuple[str, ...]
    roots: tuple[str, ...]
    lines: frozenset[tuple[str, int]]  # (file name, number); empty: no line is expected
    role: str
    outcome: str
    also: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # kinds of kit/notices.py
    needs: tuple[str, ...] = ()
    checksum: str = field(default="", compare=False)

    @property
    def family(self) -> str:
        return self.name.split("/")[0]

    @property
    def recording(self) -> Path:
        return RECORDED / f"{self.name}.json"

    @property
    def healthy(self) -> bool:
        return self.outcome == "finished"

    @property
    def aloud(self) -> bool:
        """Whether it runs without --quiet: it ends well, so nothing may be said to it."""
        return self.healthy or self.ends == ("clean-exit",)

    @property
    def elsewhere(self) -> str:
        """Why it is not run here; empty if it is."""
        if "device" in self.header:
            return "recorded on " + self.header["device"]
        if "documented" in self.header:
            return "documented: " + self.header["documented"]
        return ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _guilty_lines(path: Path) -> frozenset[tuple[str, int]]:
    lines = path.read_text().splitlines()
    return frozenset((path.name, n) for n, line in enumerate(lines, 1) if line.endswith(_GUILTY))


def read(path: Path) -> Scenario:
    """The scenario of one program; an error names the file if its header is wrong."""
    text = path.read_text()
    header = dict(_HEADER.findall(text))
    unknown = header.keys() - _KEYS
    if unknown or "end" not in header:
        what = f"unknown key {sorted(unknown)[0]!r}" if unknown else "no `# zoo end:` line"
        raise HeaderError(f"{path}: {what}")
    ends = _words(header["end"])
    healthy = ends == ("clean-exit",)
    lines = _guilty_lines(path)
    for other in _words(header.get("line", "")):  # guilty lines in another file
        lines |= _guilty_lines(path.parent / other)
    return Scenario(
        name=str(path.relative_to(PROGRAMS).with_suffix("")),
        path=path,
        header=header,
        ends=ends,
        roots=_words(header.get("root", header["end"])),
        lines=lines,
        role=header.get("role", "main"),
        outcome=header.get("outcome", "finished" if healthy else "died"),
        also=_words(header.get("also", "")),
        notices=_words(header.get("notices", "")),
        needs=_words(header.get("needs", "")),
        checksum=checksum(text),
    )


def checksum(text: str) -> str:
    """Of everything that decides how the program dies, without the expected verdict."""
    expected = re.compile(r"^(?:#|//) zoo (end|root|role|outcome|also|notices): .*$", re.MULTILINE)
    return hashlib.sha256(expected.sub("", text).encode()).hexdigest()[:12]


def all_scenarios() -> list[Scenario]:
    """Every program with a header; the others are parts of those."""
    files = sorted(p for p in PROGRAMS.rglob("*") if p.suffix in (".py", ".sh"))
    return [read(path) for path in files if _HEADER.search(path.read_text())]


def chosen(words: list[str]) -> list[Scenario]:
    """The programs whose name contains one of the words, or that have it as end or root; all of
    them without words."""
    everybody = all_scenarios()
    if not words:
        return everybody
    return [
        one
        for one in everybody
        if any(word in one.name or word in one.ends or word in one.roots for word in words)
    ]
