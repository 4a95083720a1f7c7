"""What was already compared with this very build, so that an interrupted run of hours resumes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from transparency.peers.compare import Compared


class Ledger:
    """A line of JSON for each file of tests."""

    def __init__(self, path: Path, binary: str):
        self._path = path
        self._build = _build_of(Path(binary))

    def entries(self) -> Iterator[Compared]:
        """The newest entry of each file that was tried with this build."""
        newest: dict[tuple[str, str], Compared] = {}
        if self._path.exists():
            for line in self._path.read_text().splitlines():
                entry = json.loads(line)
                if entry.pop("build") == self._build:
                    newest[entry["suite"], entry["file"]] = Compared(**entry)
        yield from newest.values()

    def add(self, compared: Compared) -> None:
        with self._path.open("a") as stream:
            print(json.dumps({"build": self._build} | asdict(compared)), file=stream)


def _build_of(binary: Path) -> str:
    parts = [binary, *sorted(binary.parents[1].rglob("libholdfast_agent.so"))]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:16]
