"""How close `holdfast fit` comes to what a GPU measured: the table of docs/fit.md.

usage: python bench/fit [--truth FOLDER] [--captures FOLDER] [--models A,B] [--table FILE]
[--no-batches] [--small-runs] [--write]; or: python bench/fit --keras (see keras_table.py)
Needs a Python with the torch, torchvision, timm and transformers that the rows name.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).parent)]
BIN = os.environ.setdefault("HOLDFAST_BIN", str(ROOT / "build/release/cli/holdfast"))

if sys.argv[1:2] == ["--keras"]:  # needs Keras, and torch only as its backend
    import keras_table

    keras_table.main(sys.argv[2:])
    sys.exit()

sys.path.append(str(Path(__file__).parents[1]))

import results  # noqa: E402
import rows  # noqa: E402

import holdfast  # noqa: E402
from holdfast.planner.capture.capture import Make, capture, record  # noqa: E402
from holdfast.planner.capture.small_run import REAL, SmallRuns  # noqa: E402
from holdfast.planner.exchange.device import Device  # noqa: E402

GIB = 1 << 30


def name_of(row: dict[str, Any]) -> str:
    """One word for a configuration."""
    parts = (row["model"], row["batch"], row["optimizer"], row["precision"], row["accumulate"])
    return "-".join(str(part) for part in parts)


def plan(file: Path, gpu: str, table: str | None, *words: str) -> dict[str, Any]:
    """The program's answer for one capture, without a context: the rows have none, either."""
    command = [BIN, "fit", "--replay", str(file), "--gpu", gpu, "--context", "0", "--json"]
    command += ["--no-largest", "--no-ways", *words]
    command += ["--table", table] if table else []
    answer = subprocess.run(command, capture_output=True, check=True)
    return json.loads(answer.stdout)  # type: ignore[no-any-return]


def replay_speed(file: Path, table: str | None) -> tuple[float, float]:
    """Training steps that the C++ replay does in a second, and the milliseconds to prepare one."""
    command = [BIN, "fit", "--replay", str(file), "--gpu", "1000GiB", "--speed"]
    command += ["--table", table] if table else []
    line = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    found = re.fullmatch(r"batch \d+: (\d+) steps a second .* ready in ([\d.]+) ms\)\n", line)
    assert found is not None, line
    return float(found[1]), float(found[2])


def quantile(values: list[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def write_models(found: dict[str, list[tuple[float, float, float]]]) -> None:
    """The table by model; the errors in percent."""
    table = []
    for model, group in sorted(found.items()):
        requested, allocated = ([abs(errors[i]) for errors in group] for i in (0, 1))
        worst = max((errors[2] for errors in group), key=abs)
        middle = statistics.median(abs(errors[2]) for errors in group)
        sign = "+" if worst >= 0.00005 else ""
        table.append(
            [
                model,
                str(len(group)),
                f"{100 * max(requested):.2f}",
                f"{100 * statistics.median(allocated):.2f} / {100 * max(allocated):.2f}",
                f"{100 * middle:.2f} / {sign}{100 * worst:.2f}".replace("-0.00", "0.00"),
            ]
        )
    head = ["model", "steps", "requested, worst", "allocated, median / worst",
            "reserved, median / worst"]  # fmt: skip
    results.write("fit-models", "python bench/fit --write", head, table, ["---"] * len(head))


def write_summary(measured: dict[str, str]) -> None:
    """Replaces the rows that begin so; the last column, what was aimed at, stays."""
    head = ["", "measured here", "aim"]
    aims = {row[0]: row[2] for row in results.read("fit-accuracy")[3]}
    new = [[what, figure, aims.get(what, "")] for what, figure in measured.items()]
    results.write_rows("fit-accuracy", "python bench/fit --write", head, new)


def estimate(make: Make, batch: int, file: Path) -> None:
    """Prints the estimate for a step that cannot be captured."""
    runs = SmallRuns(lambda size: record(make, size, Device(), REAL))
    runs.write(file, batch, Device(), "the bench asked for it")


def peaks(options: argparse.Namespace, definitions: Any) -> None:
    """Peak allocated and reserved of every open row."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    seconds: list[float] = []
    speeds: dict[str, tuple[float, float]] = {}
    estimated: set[tuple[str, str]] = set()
    decisions = wrong = near = 0
    for row in rows.read(options.truth / "open.jsonl"):
        if "error" in row or (options.models and row["model"] not in options.models):
            continue
        file = options.captures / f"{name_of(row)}.capture"
        if options.small_runs:
            if (row["model"], row["precision"]) in estimated:
                continue
            estimated.add((row["model"], row["precision"]))
            file = file.with_suffix(".estimate")
        started = time.process_time()
        if not file.exists():
            try:
                if options.small_runs:
                    estimate(rows.maker(definitions, row), row["batch"], file)
                else:
                    capture(rows.maker(definitions, row), row["batch"], file)
            except Exception as error:
                print(f"{name_of(row):48} {type(error).__name__}: {error}"[:150], flush=True)
                found.setdefault(row["model"], []).append((1.0, 1.0, 1.0))
                continue
            seconds.append(time.process_time() - started)
        answer = plan(file, "1000GiB", options.table)
        speeds[name_of(row)] = replay_speed(file, options.table)
        errors = tuple(
            answer[f"peak_{ours}_bytes"] / row[theirs] - 1
            for ours, theirs in (
                ("requested", "req_peak"),
                ("allocated", "peak_alloc"),
                ("reserved", "peak_reserved"),
            )
        )
        found.setdefault(row["model"], []).append(errors)  # type: ignore[arg-type]
        near += abs(answer["peak_requested_bytes"] - row["req_peak"]) <= 1024
        # Does it fit a card that has a twentieth less or more than was reserved?
        for share, truth in ((0.95, False), (1.05, True)):
            decisions += 1
            limit = int(row["peak_reserved"] * share)
            wrong += (answer["peak_reserved_bytes"] <= limit) != truth
        if options.verbose:
            shown = "  ".join(f"{100 * error:+8.3f}" for error in errors)
            print(f"{name_of(row):48} {shown} %", flush=True)
    everything = [errors for group in found.values() for errors in group]
    print("model                 rows   requested   allocated (p50 p95)   reserved (p50 p95)")
    for model, group in (*sorted(found.items()), ("all", everything)):
        figures = []
        for column in range(3):
            values = [abs(errors[column]) for errors in group]
            figures.append((100 * statistics.median(values), 100 * quantile(values, 0.95)))
        print(
            f"{model:22}{len(group):4}   {figures[0][0]:7.3f}   "
            f"{figures[1][0]:8.3f} {figures[1][1]:8.3f}   {figures[2][0]:8.3f} {figures[2][1]:8.3f}"
        )
    under = sum(errors[2] < -0.05 for errors in everything)
    exact = sum(errors[2] == 0 for errors in everything)
    print(f"reserved right to the byte: {exact}, requested to 1 KiB: {near}, of {len(everything)}")
    print(f"reserved under-predicted by more than 5 %: {under} of {len(everything)}")
    print(f"decisions at 95 % and 105 % of the measured peak wrong: {wrong} of {decisions}")
    if options.write:
        write_models(found)
        columns = {
            name: [abs(errors[i]) for errors in everything]
            for i, name in ((1, "allocated"), (2, "reserved"))
        }
        middle = {
            name: f"{100 * statistics.median(c):.2f} %, {100 * quantile(c, 0.95):.2f} %"
            for name, c in columns.items()
        }
        bytewise = f" ({exact} of {len(everything)} to the byte)"
        card = 'wrong "fits" on a card 5 % smaller or larger than the measured peak'
        write_summary(
            {
                "peak allocated, median and 95 of 100": middle["allocated"],
                "peak reserved, median and 95 of 100": middle["reserved"] + bytewise,
                "reserved predicted more than 5 % too low": f"{under} of {len(everything)}",
                card: f"{wrong} of {decisions}",
            }
        )
    if seconds:
        print(
            f"CPU seconds a configuration: median {statistics.median(seconds):.1f}, "
            f"most {max(seconds):.1f}, of {len(seconds)} captured now"
        )
    if speeds:
        slowest = min(speeds, key=lambda name: speeds[name])
        print(
            "replay, training steps a second of CPU: median "
            f"{statistics.median(speed for speed, _ in speeds.values()):.0f}, "
            f"least {speeds[slowest][0]:.0f} ({slowest}); a capture is made ready in "
            f"{statistics.median(ready for _, ready in speeds.values()):.2f} ms (median)"
        )


def batches(options: argparse.Namespace, definitions: Any) -> None:
    """The largest batch of every measured bracket, and the decisions at both its ends."""
    inside = below = above = total = wrong = 0
    for row in rows.read(options.truth / "max_batch_open.jsonl"):
        if options.models and row["model"] not in options.models:
            continue
        start = definitions.MODELS[row["model"]][1][0]
        make = rows.maker(definitions, row)
        answer = holdfast.fit(make, start, f"{row['cap_gib']}GiB", context="0", ways=False)
        got, low, high = answer.largest_batch or 0, row["largest_ok"], row["smallest_oom"]
        total += 1
        for batch, truth in ((low, True), (high, False)):
            told = holdfast.fit(make, batch, f"{row['cap_gib']}GiB", context="0", ways=False,
                                largest=False)  # fmt: skip
            wrong += told.fits != truth
        if got >= high:
            above += 1
        elif got >= low:
            inside += 1
        elif got >= 0.97 * low:
            below += 1
        print(
            f"{row['model']:20} {row['precision']:9} {row['cap_gib']:3} GiB  measured "
            f"[{low}, {high})  found {got}  {100 * (got / low - 1):+.1f} %",
            flush=True,
        )
    if options.write:
        bracket = "inside the measured bracket or at most 3 % below"
        figure = f"{inside + below} of {total} {bracket}; {above} above"
        write_summary({"largest batch": figure})
    print(f"largest batch: {inside} inside, {below} at most 3 % below, {above} above, of {total}")
    print(f"decisions at the bracket's ends wrong: {wrong} of {2 * total}")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--truth", type=Path, default=ROOT.parent / "shared" / "truth")
    parser.add_argument("--captures", type=Path, default=ROOT / "build" / "fit-captures")
    parser.add_argument("--models", type=lambda text: text.split(","))
    parser.add_argument("--table")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--small-runs", action="store_true", help="estimates, a row a precision")
    parser.add_argument("--no-batches", action="store_true")
    parser.add_argument("--no-peaks", action="store_true")
    parser.add_argument("--write", action="store_true", help="also into bench/results")
    options = parser.parse_args()
    options.captures.mkdir(parents=True, exist_ok=True)
    definitions = rows.load_definitions(options.truth)
    if not options.no_peaks:
        peaks(options, definitions)
    if not options.no_batches:
        batches(options, definitions)


if __name__ == "__main__":
    main()
