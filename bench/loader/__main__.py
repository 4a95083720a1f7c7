"""What the Loader holds and how fast it is, compared with others: the tables of docs/loader.md.

usage: python bench/loader [--setup] [--data DIR] [--rounds N] [--only PART] [--write]
PART is one of PARTS below. --setup installs the libraries of requirements.txt into the Python
that runs this; a library that cannot be installed is left out, and its row says so. The parts with
containers (peers, deaths) need root.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]
sys.path.append(str(HERE.parent))

import data  # noqa: E402
import deaths  # noqa: E402
import index  # noqa: E402
import kills  # noqa: E402
import memory  # noqa: E402
import peers  # noqa: E402
import results  # noqa: E402

sys.path.append(str(ROOT / "tests"))

SLACK = 8 << 20
LONGEST = 120
PAIRS = [
    (
        "JPEG 500 x 375 to 224",
        "ours-jpeg",
        ["torch-jpeg", "spdl-jpeg", "bare-resized-jpeg", "bare-jpeg"],
    ),
    (".npy, rows of 128 B", "ours-npy", ["torch-npy"]),
    ("CSV, 21 columns", "ours-csv", ["torch-csv"]),
    ("Parquet, 20 columns", "ours-parquet", ["pyarrow-parquet", "pyarrow-threads-parquet"]),
]


# How the documents call the pairs and the readers.
WORDS = {
    "JPEG 500 x 375 to 224": "512 JPEG, 500 x 375 to 224",
    ".npy, rows of 128 B": "400,000 rows of 128 B, `.npy`",
    "CSV, 21 columns": "200,000 lines of CSV, 21 columns",
    "Parquet, 20 columns": "800,000 rows of Parquet",
    "ours-jpeg": "`Loader`",
    "ours-npy": "`Loader`",
    "ours-csv": "`Loader`",
    "ours-parquet": "`Loader`",
    "torch-jpeg": "torch `DataLoader`, 2 workers, `ImageFolder`",
    "spdl-jpeg": "SPDL 0.8, 2 threads",
    "bare-resized-jpeg": "libjpeg-turbo and the same resizing, 2 threads",
    "bare-jpeg": "libjpeg-turbo alone, not resized, 2 threads",
    "torch-npy": 'torch `DataLoader`, 2 workers, `mmap_mode="r"`',
    "torch-csv": "torch `DataLoader`, 2 workers, by line",
    "pyarrow-parquet": "pyarrow, `pre_buffer=False`, 64 KiB buffers",
    "pyarrow-threads-parquet": "the same, `use_threads=True`",
}


def environment():
    binary = os.environ.get("HOLDFAST_BIN") or str(ROOT / "build/release/cli/holdfast")
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HOLDFAST_BIN": binary}


def run(script, *arguments):
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment(), timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return f"nothing within {LONGEST} s"
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1][:100]
    return json.loads(done.stdout.splitlines()[-1])


BUDGETS = {64: "64 MiB", 256: "256 MiB", 1024: "1 GiB"}


def memory_table(folder):
    """Returns the table of the documents: a row for each kind of data, a column for each budget."""
    print("| data | budget | resident memory added | samples |\n|---|--:|--:|--:|")
    broken = 0
    rows = []
    for kind in memory.KINDS:
        rows.append([kind, *["-"] * len(BUDGETS)])
        for column, budget in enumerate(BUDGETS, 1):
            seen = run("memory.py", kind, folder, f"{budget}MiB")
            if isinstance(seen, str):
                print(f"| {kind} | {budget} MiB | {seen} | |")
                continue
            over = seen["added"] > (budget << 20) + SLACK
            broken += over
            mark = " **over**" if over else ""
            added = f"{seen['added'] / 2**20:.1f} MiB{mark}"
            rows[-1][column] = added
            print(f"| {kind} | {budget} MiB | {added} | {seen['samples']} |")
            sys.stdout.flush()
    print(f"\n{broken} above budget + 8 MiB")
    return ["data", *BUDGETS.values()], rows


def speed_table(folder, rounds):
    head = ["data", "reader", "CPU s", "memory added", "samples/s, Loader : it", "CPU, it : Loader"]
    rows = []
    print(
        "| data | reader | samples/s | CPU s | memory added "
        "| samples/s, ours : theirs | CPU, theirs : ours |"
    )
    print("|---|---|--:|--:|--:|--:|--:|")
    for name, ours, others in PAIRS:
        seen = {reader: [] for reader in (ours, *others)}
        for _ in range(rounds):  # in turn, so that a busy machine is busy for all
            for reader in seen:
                seen[reader].append(run("readers.py", reader, folder))
        peaks = {reader: run("readers.py", reader, folder, "--memory") for reader in seen}
        mine = [one for one in seen[ours] if not isinstance(one, str)]
        for reader, answers in seen.items():
            good = [one for one in answers if not isinstance(one, str)]
            if not good or not mine:
                print(f"| {name} | {reader} | {answers[0]} | | | | |")
                continue
            rate = statistics.median(one["samples"] / one["wall"] for one in good)
            cpu = statistics.median(one["cpu"] for one in good)
            peak = peaks[reader]["peak"] / 2**20 if isinstance(peaks[reader], dict) else 0.0
            faster = statistics.median(b["wall"] / a["wall"] for a, b in zip(mine, good))
            cheaper = statistics.median(b["cpu"] / a["cpu"] for a, b in zip(mine, good))
            ratio = "" if reader == ours else f"{faster:.2f} | {cheaper:.2f}"
            first = WORDS[name] if reader == ours else ""
            ratios = ratio.split(" | ") if ratio else ["", ""]
            rows.append([first, WORDS[reader], f"{cpu:.2f}", f"{peak:.0f} MiB", *ratios])
            print(
                f"| {name} | {reader} | {rate:.0f} | {cpu:.2f} | {peak:.0f} MiB | {ratio or '|'} |"
            )
        sys.stdout.flush()
    return head, rows


def kills_table(folder, count):
    command = [sys.executable, str(HERE / "kills.py")]
    os.environ.update(environment())
    done, seen, whole = kills.kill_often(command, folder, count)
    once = len(seen) == len({number for number, _ in seen}) == len(whole)
    print(
        f"{done} kills: {len(seen)} samples, {'each once' if once else '**not each once**'}, "
        f"{sum(a == b for a, b in zip(seen, whole))} of {len(whole)} in the order and with the "
        "bytes of a run without a kill"
    )


def deaths_table(folder, count):
    from support.cgroup import ControlGroup

    head = [
        "a worker's end",
        "run",
        "reported with its cause",
        "with its exact line",
        "longest wait",
    ]
    rows = []
    print("| a worker's end | run | told, cause and all | with its very line | longest wait |")
    print("|---|---|--:|--:|--:|")
    watched = [environment()["HOLDFAST_BIN"], "run", "--quiet", "--"]
    for how, (words, signal, cause) in deaths.WAYS.items():
        for run_words, before in (("holdfast run", watched), ("plain", [])):
            told, lines, waits, said = 0, 0, [], ""
            for number in range(count // len(deaths.WAYS)):
                group = ControlGroup(memory=deaths.LIMIT) if how == "oom" else None
                death = [sys.executable, str(HERE / "deaths.py"), how, str(20 + 31 * number)]
                command = [*before, *death]
                done = subprocess.run(
                    group.inside(*command) if group else command,
                    capture_output=True,
                    text=True,
                    env={**environment(), "HOLDFAST_HOME": str(folder / "runs")},
                )
                if group:
                    group.remove()
                if not done.stdout:
                    said = done.stderr.strip()[-100:]
                    continue
                answer = json.loads(done.stdout.splitlines()[-1])
                said = answer["said"]
                wanted = f"signal {signal} while it made sample {20 + 31 * number}"
                told += wanted in said and (not before or cause is None or cause in said)
                lines += f", at {HERE / 'deaths.py'}:{deaths.line_of(how)}" in said
                waits.append(answer["after"])
            longest = f"{max(waits):.2f} s" if waits else ""
            print(f"| {words} | {run_words} | {told} of {number + 1} | {lines} | {longest} |")
            rows.append([words, run_words, f"{told} of {number + 1}", str(lines), longest])
            if told != number + 1:
                print(f"the last one said: {said}")
            sys.stdout.flush()
    return head, rows


def peers_table(folder):
    from support.cgroup import ControlGroup

    print(f"budget {peers.BUDGET >> 20} MiB, batches of 37 MiB\n")
    head = ["reader", "its imports", "limit", "peak", "OOM kills", "samples read"]
    rows = []
    print("| reader | its imports | limit | peak | OOM kills | samples read |")
    print("|---|--:|--:|--:|--:|---|")
    for peer in peers.PEERS:
        first = run("peers.py", peer, folder, "--imports")
        if isinstance(first, str):
            print(f"| {peer} | {first} | | | | |")
            continue
        limit = first["imported"] + peers.BUDGET + (64 << 20)
        group = ControlGroup(memory=limit)
        command = [sys.executable, str(HERE / "peers.py"), peer, str(folder)]
        # Into files, because a process that a peer leaves behind would hold a pipe open for ever.
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            started = subprocess.Popen(
                group.inside(*command), stdout=output, stderr=errors, env=environment()
            )
            try:
                status = started.wait(LONGEST)
                output.seek(0)
                errors.seek(0)
                answer = [line for line in output if line.startswith('{"imported"')]
                said = errors.read().strip().splitlines() or ["nothing said"]
                if status < 0:
                    said = [f"killed by signal {-status}"]
                end = str(json.loads(answer[-1])["samples"]) if answer else f"none: {said[-1][:90]}"
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
                end = f"hung, or slower than {LONGEST} s"
        sizes = [first["imported"], limit, min(group.memory_peak, limit)]
        cells = " | ".join(f"{size >> 20} MiB" for size in sizes)
        print(f"| {peer} | {cells} | {group.oom_kills} | {end} |")
        rows.append([peer, *cells.split(" | "), str(group.oom_kills), end])
        sys.stdout.flush()
        group.remove()
    return head, rows


def index_table(folder, rounds):
    root = index.make(folder)
    print("| 1.2 million files | listed, CPU s | listed, s | first batch, s | of the budget |")
    print("|---|--:|--:|--:|--:|")
    for words, more in (("without an index", []), ("with one", [folder / "million.index"])):
        seen = [run("index.py", root, *more) for _ in range(rounds)]
        good = [one for one in seen if not isinstance(one, str)]
        if not good:
            print(f"| {words} | {seen[0]} | | | |")
            continue
        cells = [f"{min(one[key] for one in good):.3f}" for key in ("cpu", "wall", "first")]
        print(f"| {words} | {' | '.join(cells)} | {good[0]['listed'] >> 20} MiB |")


PARTS = {
    "memory": lambda options: memory_table(options.data),
    "speed": lambda options: speed_table(options.data, options.rounds),
    "peers": lambda options: peers_table(options.data),
    "index": lambda options: index_table(options.data, options.rounds),
    "kills": lambda options: kills_table(options.data, options.kills),
    "deaths": lambda options: deaths_table(options.data, options.deaths),
}


def setup():
    for name in (HERE / "requirements.txt").read_text().split():
        command = [sys.executable, "-m", "pip", "install", "-q", name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name} is left out: {done.stderr.strip().splitlines()[-1]}")
    subprocess.run(
        ["cmake", "--build", ROOT / "build/release", "--target", "bare_jpeg"],
        stdout=subprocess.DEVNULL,
        check=False,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "build/loader-data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--deaths", type=int, default=20)
    parser.add_argument("--only", choices=[*PARTS])
    parser.add_argument("--setup", action="store_true")
    parser.add_argument("--write", action="store_true", help="also into bench/results")
    options = parser.parse_args()
    if options.setup:
        setup()
    data.make(options.data)
    for name, part in PARTS.items():
        if options.only in (None, name):
            print(f"\n## {name}\n")
            table = part(options)
            if options.write and table:
                results.write(
                    f"loader-{name}", f"python bench/loader --only {name} --write", *table
                )


if __name__ == "__main__":
    main()
