"""Runs a program with the agent alone, without a supervisor, and reads what it recorded."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support import agent_box
from support.run import PATIENCE


@dataclass
class Ended:
    status: int
    output: str
    errors: str
    processes: list[agent_box.Process]

    @property
    def main(self) -> agent_box.Process:
        return self.processes[0]


@pytest.fixture(scope="session")
def library(binary) -> Path:
    named = os.environ.get("HOLDFAST_AGENT")
    path = Path(named) if named else binary.parent.parent / "agent" / "libholdfast_agent.so"
    assert path.exists(), f"{path} is not there: run `make build`, or set HOLDFAST_AGENT"
    return path.resolve()


@pytest.fixture
def watch(library, tmp_path):
    """Runs a command with the agent and its own box, and without; both must behave the same."""

    def run(*command, compare=True) -> Ended:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir(mode=0o700)
        box = folder / "agent.box"
        with box.open("wb") as file:
            file.truncate(agent_box.SIZE)
        box.chmod(0o600)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        clean |= {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        inside = clean | {"HOLDFAST_RUN": str(folder), "LD_PRELOAD": str(library)}

        def once(environment):
            return subprocess.run(
                list(map(str, command)),
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )

        watched = once(inside)
        if compare:
            plain = once(clean)
            assert watched.stdout == plain.stdout
            assert watched.stderr == plain.stderr
            assert watched.returncode == plain.returncode
        processes = agent_box.read(box)
        for process in processes:
            assert not process.noted("hook_failed")
        return Ended(watched.returncode, watched.stdout, watched.stderr, processes)

    return run
