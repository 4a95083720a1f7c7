"""Measures on a GPU what its libraries take beside tensors; prints a table for the replay.

usage: holdfast fit --calibrate [--calls FILE] [--done FILE] [--seconds N] [--workers N] [--out
FILE]

``--calls`` lists library calls as the table does, without the measured bytes; the list that comes
with Holdfast is bench/fit/calls.txt.gz. Each call is made once, and the allocator's own counters
tell what it took. With ``--done`` a run continues where another one stopped.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import torch

from holdfast.planner.measure import survey, table_file
from holdfast.planner.measure.library_calls import CannotCall, measure

_LIMIT = 24 << 30  # of one call's tensors: several workers share the GPU


def read_calls(path: Path) -> Iterator[str]:
    """The calls of a list, or of a table."""
    for call, _ in table_file.measured(table_file.lines_of(path)):
        yield call


def _work(calls: list[str], until: float, out: Any) -> None:
    torch.cuda.init()
    for call in calls:
        if time.time() > until:
            break
        try:
            name, *values = call.split()
            sizes = measure(name, [int(value) for value in values], _LIMIT)
            out.put(f"{call} = {' '.join(map(str, sizes))}".rstrip())
        except CannotCall as refused:
            out.put(f"# {call}: {refused}")
        except Exception as error:
            torch.cuda.empty_cache()
            out.put(f"# {call}: {type(error).__name__}: {str(error).splitlines()[0]}")
    out.put(None)


def context_bytes() -> int:
    """What the driver counts besides the allocator's segments, after some kernels were loaded."""
    layer = torch.nn.Conv2d(16, 16, 3).cuda()
    x = torch.randn(2, 16, 32, 32, device="cuda")
    (layer(x).flatten(1) @ torch.randn(14400, 8, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return int(total - free) - int(torch.cuda.memory_reserved())


def segment_order() -> Iterator[str]:
    """Whether the driver places segments of a size at rising or at falling addresses."""
    for mib in (20, 22, 64, 256):
        torch.cuda.empty_cache()
        tensors = [torch.empty(mib << 20, dtype=torch.uint8, device="cuda") for _ in range(6)]
        places = [tensor.data_ptr() for tensor in tensors]
        way = "mixed"
        if places == sorted(places):
            way = "rising"
        elif places == sorted(places, reverse=True):
            way = "falling"
        yield f"{mib}:{way}"


def head(out: TextIO) -> None:
    """Which machine and which versions the figures are from."""
    device = torch.cuda.get_device_properties(0)
    print("# Workspaces measured by `holdfast fit --calibrate` on the GPU named below.", file=out)
    print(f"gpu {device.name}", file=out)
    print(f"sm {device.major}{device.minor}", file=out)
    print(f"multiprocessors {device.multi_processor_count}", file=out)
    print(f"threads {device.max_threads_per_multi_processor}", file=out)
    print(f"memory {device.total_memory}", file=out)
    print(f"torch {torch.__version__}", file=out)
    print(f"cudnn {torch.backends.cudnn.version()}", file=out)
    print(f"context {context_bytes()}", file=out)
    print(f"segments {' '.join(segment_order())}", file=out)
    out.flush()


def main(words: list[str]) -> None:
    """Measures until the list or the time is used up."""
    parser = argparse.ArgumentParser(prog="holdfast fit --calibrate")
    parser.add_argument("--calls", type=Path)
    parser.add_argument("--done", type=Path, action="append", default=[])
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--no-survey", action="store_true")
    options = parser.parse_args(words)
    if not torch.cuda.is_available():
        sys.exit("holdfast: --calibrate measures a GPU, and torch sees none here")
    until = time.time() + options.seconds
    with options.out.open("w") if options.out else sys.stdout as out:
        head(out)
        if not options.no_survey:
            for line in survey.lines():
                print(line, file=out, flush=True)
        if options.calls is None:
            return
        done = {call for path in options.done for call in read_calls(path)}
        calls = [call for call in read_calls(options.calls) if call not in done]
        _share_out(calls, options.workers, until, out)


def _share_out(calls: list[str], count: int, until: float, out: TextIO) -> None:
    """Several processes, because most of a call's time is spent choosing its plan on the CPU."""
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.Queue()
    workers = [
        spawn.Process(target=_work, args=(calls[number::count], until, queue), daemon=True)
        for number in range(count)
    ]
    for worker in workers:
        worker.start()
    running, written = count, 0
    while running:
        try:
            line = queue.get(timeout=max(1.0, until + 20 - time.time()))
        except Exception:
            break  # a worker died or hangs; written lines stay
        if line is None:
            running -= 1
            continue
        written += 1
        print(line, file=out, flush=written % 200 == 0)
    for worker in workers:
        worker.terminate()
    print(f"# {written} of {len(calls)} calls", file=out, flush=True)
