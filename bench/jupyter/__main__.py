"""Deaths and orderly ends of kernels by front end, and what watching costs them: a table.

usage: python bench/jupyter [--deaths 20] [--only nbclient,papermill,...] [--jobs 2] [--minutes 8]
       [--write]

Each death is a real one; it counts if the cell that caused it shows the right cause, and no other
cell does. Fails if one is missing, if an orderly end is not quiet, if restarts leave something
behind, or if the text or the start takes longer than allowed. Every row ends within its minutes and
one more trial; trials that were not run by then are reported, and fail. Timed trials run alone.
Needs a Python that has the front ends: build/venv-lab, made by tools/lab build.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench import results
from bench.jupyter import browsers, inspector, refusals, restarts, shutdowns, timing
from bench.jupyter.front_ends import FRONT_ENDS
from bench.jupyter.place import Place
from bench.jupyter.rows import Pace, Tally, a_place, bounded, play

DEATHS = {
    "cgroup-oom": "kept = []\n[kept.append(bytearray(b'x') * (8 << 20)) for _ in range(1000)]",
    "segfault": "import ctypes\nctypes.string_at(0)",
    "native-abort": "import os\nos.abort()",
    "exit-called": "import os\nos._exit(3)",
    "killed": "import os, time\nos.kill(os.getpid(), 15)\ntime.sleep(30)",
}
ENDS = ["print('done')", "import sys; sys.exit(3)", "1 / 0", "exit"]
WORDS_S, RESTART_S, START_UP_MS, LOOK_MS = 1.0, 2.0, 100, 100


def main() -> int:
    usual = [
        *FRONT_ENDS,
        *browsers.BROWSERS,
        "again",
        "restarts",
        "panel",
        "names",
        "timing",
        "axe",
    ]
    known = [*usual, "shutdowns"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deaths", type=int, default=20, help="of each front end")
    parser.add_argument("--only", default="", help=f"by commas, of: {', '.join(known)}")
    parser.add_argument("--jobs", type=int, default=2, help="trials of a row at a time")
    parser.add_argument("--minutes", type=float, default=8, help="that a row may take")
    parser.add_argument("--write", action="store_true", help="also into bench/results")
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name] or usual
    if unknown := set(only) - set(known):
        parser.error(f"no row is called {', '.join(sorted(unknown))}")
    pace = Pace(chosen.jobs, 60 * chosen.minutes, chosen.write)
    wrong = 0
    print(f"{'front end':<12} {'right cause, right cell':<26} words at an orderly end", flush=True)
    for name in only:
        wrong += row(name, chosen.deaths, pace)
    return 1 if wrong else 0


def row(name: str, count: int, pace: Pace) -> int:
    """Prints one row; returns how many trials failed."""
    if name in FRONT_ENDS:
        return command_row(name, count, pace)
    if name in browsers.BROWSERS:
        return browser_row(name, count, pace)
    if name == "again":
        return sum(again_row(app, min(count, 10), pace) for app in ("lab", "notebook"))
    if name == "restarts":
        return restart_rows(count, pace)
    if name == "panel":
        return panel_row(count, pace)
    if name == "names":
        return names_row(min(count, 5), pace)
    if name == "shutdowns":
        return shutdown_row(count)
    if name == "timing":
        return timing_rows(count, pace)
    return axe_row()


def possible_deaths() -> dict[str, str]:
    if os.geteuid() == 0:
        return DEATHS
    return {slug: code for slug, code in DEATHS.items() if slug != "cgroup-oom"}


def dies_right(name: str, place: Place, number: int) -> bool:
    place.environment["HOLDFAST_GUARD"] = "warn"
    kinds = [*possible_deaths().items()]
    slug, code = kinds[number % len(kinds)]
    first, second, *_ = FRONT_ENDS[name](place, ["x = 1", code, "print('after')"])
    placed = slug == "killed" or "cell [2]" in second
    right = f" {slug}" in second and placed and "KernelDied" not in first
    if not right:
        print(f"  not told: {slug}; {second[:400]!r}", file=sys.stderr)
    return right


def ends_quietly(name: str, place: Place, number: int) -> bool:
    place.environment["HOLDFAST_GUARD"] = "warn"
    shown = FRONT_ENDS[name](place, ["x = 1", ENDS[number % len(ENDS)], "y = 2"])
    return not any("KernelDied" in one for one in shown)


def command_row(name: str, count: int, pace: Pace) -> int:
    """One front end; returns how many trials failed."""
    trials = [functools.partial(dies_right, name), functools.partial(ends_quietly, name)]
    limited = os.geteuid() == 0
    if limited:
        run = FRONT_ENDS[name]
        trials.append(functools.partial(refusals.named_right, run))
        trials.append(functools.partial(refusals.says_nothing, run))
    else:
        print(f"{name:<12} limits left out; a memory limit around a kernel needs root")
    return show(name, play(trials, count, pace, limited), pace)


def browser_row(name: str, count: int, pace: Pace) -> int:
    if obstacle := browsers.obstacle(name):
        print(f"{name:<12} left out; {obstacle}", flush=True)
        return 0
    return show(name, browsers.browse(name, possible_deaths(), count, pace), pace)


FRONT_END_COLUMNS = [
    "front end",
    "right cause in the right cell",
    "text at an orderly end",
    "refused: right variable first",
    "text where nothing was refused",
]


def write_front_end(name: str, pace: Pace, cells: list[str]) -> None:
    if pace.write:
        row = [name, *cells, *[""] * (len(FRONT_END_COLUMNS) - 1 - len(cells))]
        results.write_rows("jupyter-front-ends", "bench/jupyter --write", FRONT_END_COLUMNS, [row])


def write_times(what: str, pace: Pace, median: str, worst: str) -> None:
    if pace.write:
        head = ["what (`bench/jupyter --only ...`)", "median", "worst"]
        results.write_rows("jupyter-times", "bench/jupyter --write", head, [[what, median, worst]])


def write_spread(what: str, pace: Pace, times: list[float]) -> None:
    """Sorted seconds."""
    if times:
        worst = f"{times[-1]:.2f} s of {len(times)}"
        write_times(what, pace, f"{times[len(times) // 2]:.2f} s", worst)


def show(name: str, tallies: list[Tally], pace: Pace) -> int:
    right, quiet, *refused = tallies
    cells = [str(right), quiet.no]
    if refused:
        cells += [str(refused[0]), refused[1].no]
    write_front_end(name, pace, cells)
    print(f"{name:<12} {right!s:<26} {quiet.no}", flush=True)
    if refused:
        print(
            f"{'':<12} refused cells named right: {refused[0]}; words where nothing was refused: "
            f"{refused[1].no}",
            flush=True,
        )
    return sum(tally.wrong for tally in tallies)


def again_row(name: str, count: int, pace: Pace) -> int:
    """Half of the clicks come at once, half after the server has restarted the kernel by itself."""
    if obstacle := browsers.obstacle(name):
        print(f"{name:<12} left out; {obstacle}", flush=True)
        return 0
    seen = browsers.restarts(name, count, pace)
    for when, times in seen.items():
        write_spread(f"`again`: restart and run to here in {name}, {when}", pace, times)
        print(
            f"{name:<12} restart and run to here, {when}: the first cell runs {spread(times)}",
            flush=True,
        )
    return sum(not times or times[len(times) // 2] > RESTART_S for times in seen.values())


def spread(times: list[float]) -> str:
    """Sorted seconds as text, with the machine's load."""
    load = f"load {os.getloadavg()[0]:.1f}"
    if not times:
        return f"was not played, time was up; {load}"
    middle, worst = times[len(times) // 2], times[-1]
    return f"after {middle:.2f} s (median), worst {worst:.2f} s of {len(times)}; {load}"


def restart_rows(count: int, pace: Pace) -> int:
    with a_place(limited=False) as place:
        tally = Tally(*restarts.quiet_ends(place, bounded(count, pace)), asked=count)
        write_front_end("restarts and shutdowns by `jupyter_client`", pace, ["", tally.no])
        print(f"{'restarts':<12} {'-':<26} {tally.no}", flush=True)
        left = restarts.left_behind(place)
    print(f"five restarts in a row leave behind: {', '.join(left) or 'nothing'}", flush=True)
    return tally.wrong + len(left)


def shutdown_row(count: int) -> int:
    """A race of ipykernel's own, so it has no bar: it happens as often with us as without."""
    with a_place(limited=False) as place:
        ends = {name: shutdowns.aborted(place, name, count) for name in ("plain", "held")}
        print(
            f"shut down while threads print: aborted {ends['plain']} of {count} plain, "
            f"{ends['held']} of {count} watched; words left behind: "
            f"{len(list((place.folder / 'home').glob('kernels/*')))}"
        )
    return 0


def panel_row(count: int, pace: Pace) -> int:
    if os.geteuid() != 0:
        print("panel        left out; a memory limit around a kernel needs root", flush=True)
        return 0
    with a_place(limited=True) as place:
        place.environment["HOLDFAST_GUARD"] = "on"
        times = refusals.error_to_words(place, bounded(count, pace))
    print(f"a refused cell's error to its panel: {spread(times)}", flush=True)
    write_spread("`panel`: from a refused cell's error to its panel", pace, times)
    return int(not times or times[len(times) // 2] > WORDS_S)


def names_row(count: int, pace: Pace) -> int:
    """A look at 10,000 variables. The bar is for the median in processor time, of the first looks
    (each in a kernel of its own) and of the later ones."""
    with a_place(limited=False) as place:
        first, later = inspector.looks(place, 10_000, bounded(count, pace))
    slow = 0
    for which, looks in (("first look", first), ("later", later)):
        if not looks:
            print(f"10,000 names, {which}: was not played, time was up", flush=True)
            slow += 1
            continue
        wall, cpu = (sorted(column) for column in zip(*looks, strict=True))
        what = {
            "first look": "`names`: a look at 10,000 names, the first in a kernel",
            "later": "`names`: later looks",
        }[which]
        worst = f"{cpu[-1]:.0f} ms of {len(looks)}"
        write_times(what, pace, f"{cpu[len(cpu) // 2]:.0f} ms", worst)
        bad = cpu[len(cpu) // 2] > LOOK_MS
        print(
            f"10,000 names, {which}: {cpu[len(cpu) // 2]:.0f} ms of processor time, worst "
            f"{cpu[-1]:.0f}; wall clock {wall[len(wall) // 2]:.0f} ms, worst {wall[-1]:.0f}, of "
            f"{len(looks)}; load {os.getloadavg()[0]:.1f}{f'; more than {LOOK_MS} ms' * bad}",
            flush=True,
        )
        slow += bad
    return slow


def axe_row() -> int:
    if obstacle := browsers.obstacle("lab"):
        print(f"axe          left out; {obstacle}", flush=True)
        return 0
    found = browsers.serious_findings()
    where = "panel, side panel, status bar, dialog, notification, verdict and report, both themes"
    print(f"axe-core, {where}: {found or 'nothing serious'}", flush=True)
    return int(bool(found))


def timing_rows(count: int, pace: Pace) -> int:
    half = Pace(1, pace.seconds / 2)
    with a_place(limited=False) as place:
        times = timing.death_to_words(place, bounded(count, half))
        print(f"death to words: {spread(times)}", flush=True)
        write_spread("`timing`: from the death to the text in a client", pace, times)
        watched, plain = timing.start_up(place, bounded(count + 1, half))
    slower = 1000 * (watched - plain)
    more = f"{slower:.0f} ms more ({watched:.2f} s, plain {plain:.2f} s)"
    write_times("`timing`: a kernel's start, watched against plain", pace, more, "")
    print(
        f"start-up to the first reply: watched {watched:.2f} s, plain {plain:.2f} s "
        f"({slower:+.0f} ms), medians of {count}; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return int(not times or times[len(times) // 2] > WORDS_S) + int(slower > START_UP_MS)


if __name__ == "__main__":
    sys.exit(main())
