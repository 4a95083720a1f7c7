"""The loop of a bench program: runs it, and prints what it cost, start-up apart."""

from __future__ import annotations

import argparse
import builtins
import ctypes
import gc
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

MARK = "BENCH-LOOP "


def options(**defaults: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name, value in {"loops": 1, **defaults}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args()


def cpu_seconds() -> float:
    """Of this process and the children it has waited for."""
    used = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        used += usage.ru_utime + usage.ru_stime
    return used


def agent_state() -> str:
    """ "no", "loaded", or "in its slot" of the black box, as the memory map shows it.

    An agent that failed to load costs nothing; without this check the figures would look too good.
    """
    maps = Path("/proc/self/maps").read_text()
    if "agent.box" in maps:
        return "in its slot"
    return "loaded" if "holdfast_agent" in maps else "no"


def measure(body: Callable[[], object], loops: int, bytes_per_loop: int = 0) -> None:
    # memory_profiler looks only at decorated functions. Scalene puts a `profile` into builtins too,
    # but would then leave out everything else, so only the tool that needs it asks for it.
    if os.environ.get("BENCH_DECORATE"):
        body = builtins.profile(body)  # type: ignore[attr-defined]
    counter = ctypes.CDLL(os.environ["BENCH_COUNTER"]) if "BENCH_COUNTER" in os.environ else None
    body()  # things made on the first turn (caches, thread pools, lazy imports) count as start-up
    gc.collect()
    if counter is not None:
        counter.start_counting()
    wall, cpu = time.perf_counter(), cpu_seconds()
    for _ in range(loops):
        body()
    cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
    if counter is not None:
        counter.stop_counting()
    result = {
        "pid": os.getpid(),
        "loops": loops,
        "cpu_s": cpu,
        "wall_s": wall,
        "bytes": bytes_per_loop * loops,
        "agent": agent_state(),
    }
    print("\n" + MARK + json.dumps(result), flush=True)
