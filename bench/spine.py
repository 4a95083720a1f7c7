#!/usr/bin/env python3
"""What watching costs: prints one row per figure, its budget beside it.

Times vary on shared machines, so runs with and without Holdfast alternate and their medians are
compared; CPU is counted in nanoseconds of run time, not in clock ticks.
"""

from __future__ import annotations

import argparse
import os
import resource
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOLDFAST = os.environ.get("HOLDFAST_BIN", str(ROOT / "build/release/cli/holdfast"))
CGROUP_V1 = Path("/sys/fs/cgroup/memory")
CGROUP_V2 = Path("/sys/fs/cgroup")

failures: list[str] = []


def row(what: str, value: float, unit: str, budget: float | None, note: str = "") -> None:
    mark = ""
    if budget is not None:
        mark = f"budget {budget:g} {unit}"
        if value > budget:
            mark += "  OVER"
            failures.append(what)
    print(f"{what:<44}{value:>10.3g} {unit:<7}{mark}  {note}".rstrip(), flush=True)


def wall(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def bench_start_up(rounds: int) -> None:
    plain, watched = [], []
    for _ in range(rounds):
        plain.append(wall(["/bin/true"]))
        watched.append(wall([HOLDFAST, "run", "--", "/bin/true"]))
    added = statistics.median(watched) - statistics.median(plain)
    row("start-up and end added to /bin/true", added * 1e3, "ms", 30, f"median of {rounds}")


def run_time_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def memory_kib(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    return 0


def helpers_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)
                if int(fields[1].split()[1]) == pid and "(holdfast" in fields[0]:
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def bench_calm(seconds: float) -> None:
    program = "import time\nx = bytearray(200 << 20)\ntime.sleep(1000)\n"
    supervisor = subprocess.Popen(
        [HOLDFAST, "run", "--quiet", "--", sys.executable, "-c", program], stderr=subprocess.PIPE
    )
    time.sleep(5)  # Holdfast watches more closely at the start
    watchers = [supervisor.pid, *helpers_of(supervisor.pid)]
    before = {pid: run_time_ns(pid) for pid in watchers}
    begin = time.monotonic()
    time.sleep(seconds)
    lasted = (time.monotonic() - begin) * 1e9
    used = sum(run_time_ns(pid) - before[pid] for pid in watchers)
    row("CPU of the supervisor when calm", used / lasted * 100, "% core", 0.2, "helpers included")
    row("resident memory of the supervisor", memory_kib(supervisor.pid, "VmRSS") / 1024, "MiB", 8)
    for pid in watchers[1:]:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        anonymous = memory_kib(pid, "RssAnon") / 1024
        row(
            f"resident memory of {name}",
            memory_kib(pid, "VmRSS") / 1024,
            "MiB",
            None,
            f"{anonymous:.1f} MiB of it its own",
        )
    supervisor.send_signal(signal.SIGTERM)
    supervisor.communicate()


@contextmanager
def memory_limit(mib: int) -> Iterator[Callable[[], None] | None]:
    """A real cgroup; yields the function with which a child enters it, or None without rights."""
    v1 = (CGROUP_V1 / "memory.limit_in_bytes").exists()
    group = (CGROUP_V1 if v1 else CGROUP_V2) / f"holdfast-bench-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.limit_in_bytes" if v1 else "memory.max")).write_text(f"{mib << 20}")
    except OSError:
        yield None
        return
    try:
        yield lambda: (group / "cgroup.procs").write_text("0") and None
    finally:
        group.rmdir()


DEATHS = {
    "segfault": "import os, ctypes; os.write(1, b'%d\\n' % os.getpid()); os.read(0, 1)\n"
    "ctypes.string_at(0)",
    "oom": "import os; os.write(1, b'%d\\n' % os.getpid()); os.read(0, 1)\nkeep = []\n"
    "while True: keep.append(bytearray(1 << 20))",
}


def death_to_verdict(death: str, enter: Callable[[], None] | None, home: str) -> float:
    """Seconds from the kernel's notice of the death to the end of the verdict."""
    run = subprocess.Popen(
        [HOLDFAST, "run", "--", sys.executable, "-c", DEATHS[death]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=enter,
        env={**os.environ, "HOLDFAST_HOME": home, "HOLDFAST_GUARD": "warn"},
    )  # fmt: skip
    assert run.stdin and run.stdout and run.stderr
    program = os.pidfd_open(int(run.stdout.readline()))
    run.stdin.write(b"\n")  # now it may die
    run.stdin.flush()
    select.select([program], [], [])
    died = time.perf_counter()
    text = b""
    while b"holdfast why" not in text:
        piece = os.read(run.stderr.fileno(), 65536)
        if not piece:
            sys.exit(f"no verdict on {death}: {text!r}")
        text += piece
    took = time.perf_counter() - died
    run.communicate()
    os.close(program)
    return took


def bench_deaths(count: int) -> None:
    with tempfile.TemporaryDirectory() as home, memory_limit(64) as enter:
        kinds = ["segfault", "oom"] if enter else ["segfault"]
        took = [death_to_verdict(kinds[i % len(kinds)],
                                 enter if kinds[i % len(kinds)] == "oom" else None, home)
                for i in range(count)]  # fmt: skip
    took.sort()
    p95 = took[min(len(took) - 1, int(0.95 * len(took)))]
    note = f"median {statistics.median(took) * 1e3:.0f} ms, {count} deaths: {', '.join(kinds)}"
    row("death to verdict, 95th percentile", p95 * 1e3, "ms", 150, note)


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pipeline(command: str) -> tuple[float, float]:
    cpu, begin = cpu_of_children(), time.perf_counter()
    subprocess.run(["/bin/sh", "-c", command], check=False)
    return time.perf_counter() - begin, cpu_of_children() - cpu


def bench_output(rounds: int, mib: int) -> None:
    source = f"head -c {mib}M /dev/zero"
    forms = {
        "cat": f"{source} 2>&1 | cat | cat > /dev/null",
        "holdfast": f"{HOLDFAST} run --quiet -- {source} 2>&1 | cat > /dev/null",
    }
    walls: dict[str, list[float]] = {name: [] for name in forms}
    cpus: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds):
        for name, command in forms.items():
            took, cpu = pipeline(command)
            walls[name].append(took)
            cpus[name].append(cpu)
    speed = mib / 1024 / statistics.median(walls["holdfast"])
    for what, figures in (("time", walls), ("CPU", cpus)):
        ratio = statistics.median(figures["holdfast"]) / statistics.median(figures["cat"])
        row(
            f"{what} of {mib} MiB of output, against cat",
            ratio,
            "x",
            1.0,
            f"{speed:.2g} GiB/s" if what == "time" else "",
        )


def folder_bytes(path: str) -> int:
    return sum(f.stat().st_blocks * 512 for f in Path(path).rglob("*") if f.is_file())


def bench_size(processes: int) -> None:
    sizes = []
    for count in (1, processes):
        with tempfile.TemporaryDirectory() as home:
            script = f"i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done; exit 3"
            subprocess.run([HOLDFAST, "run", "--quiet", "--", "/bin/sh", "-c", script],
                           env={**os.environ, "HOLDFAST_HOME": home}, check=False)  # fmt: skip
            sizes.append(folder_bytes(home))
    row("files of a run", sizes[0] / 2**20, "MiB", 16)
    row(f"the same after {processes} processes", sizes[1] / 2**20, "MiB", 16)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer rounds")
    quick = options.parse_args().quick
    os.environ.setdefault("HOLDFAST_HOME", tempfile.mkdtemp(prefix="holdfast-bench-"))
    bench_start_up(10 if quick else 40)
    bench_calm(10 if quick else 30)
    bench_deaths(10 if quick else 50)
    bench_output(3 if quick else 9, 1024 if quick else 2048)
    bench_size(500 if quick else 5000)
    if failures:
        print("over budget: " + "; ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
