"""How each tool starts a program, and one measured run of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workloads import FOLDER, Program

ROOT = Path(__file__).resolve().parent.parent.parent
HOLDFAST = os.environ.get("HOLDFAST_BIN", str(ROOT / "build/release/cli/holdfast"))
MARK = "BENCH-LOOP "  # printed by programs/loop.py


@dataclass(frozen=True)
class Tool:
    name: str
    module: str | None  # absent unless Python can import it
    start: Callable[[str, list[str], Path], list[str]]  # Python, program, folder for its output
    # Slow tools run only a part of the loops; figures are per loop.
    share: float = 1.0
    environment: tuple[tuple[str, str], ...] = ()
    # Ended after the loop: evaluating its data would take minutes each time.
    stop_after_loop: bool = False


def plain(python: str, program: list[str], _: Path) -> list[str]:
    return [python, *program]


def holdfast(python: str, program: list[str], _: Path) -> list[str]:
    return [HOLDFAST, "run", "--quiet", "--", python, *program]


def memray(python: str, program: list[str], out: Path) -> list[str]:
    return [python, "-m", "memray", "run", "--quiet", "-o", str(out / "memray.bin"), *program]


def scalene(python: str, program: list[str], out: Path) -> list[str]:
    file, *arguments = program
    return [python, "-m", "scalene", "run", "-o", str(out / "scalene.json"), file, "---",
            *arguments]  # fmt: skip


def fil(python: str, program: list[str], out: Path) -> list[str]:
    return [python, "-m", "filprofiler", "--no-browser", "-o", str(out), "run", *program]


def memory_profiler(python: str, program: list[str], out: Path) -> list[str]:
    return [python, "-m", "memory_profiler", "-o", str(out / "memory_profiler.txt"), *program]


def tracemalloc(python: str, program: list[str], _: Path) -> list[str]:
    return [python, "-X", "tracemalloc", *program]


PLAIN = Tool("plain", None, plain)
WATCHED = Tool("holdfast", None, holdfast)
# The same as plain: its distance from 1 shows how far off any other ratio may be.
AGAIN = Tool("plain again", None, plain)
PEERS = (
    Tool("memray", "memray", memray),
    Tool("scalene", "scalene", scalene, stop_after_loop=True),
    Tool("Fil", "filprofiler", fil, share=0.25),
    Tool("memory_profiler", "memory_profiler", memory_profiler, share=0.02,
         environment=(("BENCH_DECORATE", "1"),)),
    Tool("tracemalloc", None, tracemalloc),
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """One run. Loop figures are for one turn of the loop, whole ones for the whole command."""

    loop_cpu_s: float
    loop_wall_s: float
    bytes_per_s: float
    outside_cpu_s: float | None  # start-up, end, the tool's own processes; None: it was stopped
    output_bytes: int | None
    agent: str


class Failed(Exception):
    """Why there is no figure, in a few words."""


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


def can_import(python: str, module: str) -> bool:
    """Whether it is installed; importing torch just to find out would take seconds."""
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    try:
        done = subprocess.run([python, "-c", look, module], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def folder_bytes(path: Path) -> int:
    return sum(f.stat().st_blocks * 512 for f in path.rglob("*") if f.is_file())


@contextmanager
def output_folder() -> Iterator[Path]:
    # A killed tool may still be writing.
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-", ignore_cleanup_errors=True) as path:
        yield Path(path)


def run_environment(out: Path, more: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    # PYTHONPATH because not every tool puts the program's folder into sys.path as Python does; a
    # fixed hash seed so that sets and dicts do the same work each time.
    return {**os.environ, "PYTHONPATH": str(FOLDER), "PYTHONHASHSEED": "0",
            "HOLDFAST_HOME": str(out), "TMPDIR": str(out), **dict(more)}  # fmt: skip


@dataclass(frozen=True)
class Ended:
    status: int | None  # None: stopped on purpose
    stdout: str
    stderr: str
    cpu_s: float  # of everything that was waited for


def text_of(file: IO[bytes]) -> str:
    return os.pread(file.fileno(), 1 << 26, 0).decode(errors="replace")


def run_command(
    command: list[str],
    environment: dict[str, str],
    where: Path,
    limit_s: float,
    stop_at: re.Pattern[str] | None = None,
) -> Ended:
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment,
            cwd=where, start_new_session=True,
        )  # fmt: skip
        end, stopped = time.monotonic() + limit_s, False
        # wait4, not RUSAGE_CHILDREN, because it counts this command alone.
        while (done := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            stopped = stop_at is not None and bool(stop_at.search(text_of(stdout)))
            if stopped or time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                done = os.wait4(process.pid, 0)
                break
            time.sleep(0.01 if stop_at is None else 0.1)
        process.returncode = os.waitstatus_to_exitcode(done[1])
        if process.returncode == -signal.SIGKILL and not stopped and time.monotonic() > end:
            raise Failed(f"over {limit_s:.0f} s")
        return Ended(
            None if stopped else process.returncode,
            text_of(stdout),
            text_of(stderr),
            done[2].ru_utime + done[2].ru_stime,
        )


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:120] if lines else ""


def measure(tool: Tool, python: str, program: Program, scale: float, limit_s: float) -> Measured:
    loops = max(1, round(program.loops * scale * tool.share))
    with tempfile.TemporaryDirectory(
        prefix="holdfast-overhead-", ignore_cleanup_errors=True
    ) as folder:
        out = Path(folder)
        ended = run_command(
            tool.start(python, program.command(loops), out),
            run_environment(out, tool.environment), out, limit_s,
            stop_at=re.compile(MARK + ".*}\n") if tool.stop_after_loop else None,
        )  # fmt: skip
        lines = [line for line in ended.stdout.splitlines() if line.startswith(MARK)]
        if not lines:
            raise Failed(f"exit {ended.status}: {last_line(ended.stderr) or 'no result'}")
        if ended.status:
            raise Failed(f"exit {ended.status} after the loop: {last_line(ended.stderr)}")
        result = json.loads(lines[-1].removeprefix(MARK))
        stopped = ended.status is None
        for left in Path("/tmp").glob(f"scalene-*-*{result['pid']}"):  # scalene never cleans up
            left.unlink(missing_ok=True)
        return Measured(
            loop_cpu_s=result["cpu_s"] / result["loops"],
            loop_wall_s=result["wall_s"] / result["loops"],
            bytes_per_s=result["bytes"] / result["wall_s"],
            outside_cpu_s=None if stopped else ended.cpu_s - result["cpu_s"],
            output_bytes=None if stopped else folder_bytes(out),
            agent=result["agent"],
        )
