"""Deaths and orderly ends of kernels by front end, and what watching costs them: a table.

usage: python bench/jupyter [--deaths 20] [--only nbclient,papermill,...]

Each death is a real one; it counts when the cell that did it shows the right cause, and no other
cell does. Fails where one is missing, where an orderly end is not quiet, where restarts leave
something behind, or where words or start-up take longer than they may. Runs in a Python that has
the front ends: build/venv-lab, made by tools/lab build.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.guard.groups import Group
from bench.jupyter import browsers, inspector, refusals, restarts, shutdowns, timing
from bench.jupyter.front_ends import FRONT_ENDS
from bench.jupyter.place import Place

DEATHS = {
    "cgroup-oom": "kept = []\n[kept.append(bytearray(b'x') * (8 << 20)) for _ in range(1000)]",
    "segfault": "import ctypes\nctypes.string_at(0)",
    "native-abort": "import os\nos.abort()",
    "exit-called": "import os\nos._exit(3)",
    "killed": "import os, time\nos.kill(os.getpid(), 15)\ntime.sleep(30)",
}
ENDS = ["print('done')", "import sys; sys.exit(3)", "1 / 0", "exit"]
LIMIT_MIB = 320
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
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name] or usual
    wrong = 0
    print(f"{'front end':<12} {'right cause, right cell':<26} words at an orderly end")
    for name in only:
        if name in FRONT_ENDS:
            wrong += command_row(name, chosen.deaths) + refusals_of(name, chosen.deaths)
        elif name in browsers.BROWSERS:
            wrong += browser_row(name, chosen.deaths)
        elif name == "again":
            wrong += sum(again_row(app, min(chosen.deaths, 6)) for app in ("lab", "notebook"))
        elif name == "restarts":
            wrong += restart_rows(chosen.deaths)
        elif name == "panel":
            wrong += panel_row(chosen.deaths)
        elif name == "names":
            wrong += names_row(min(chosen.deaths, 5))
        elif name == "shutdowns":
            shutdown_row(chosen.deaths)
        elif name == "timing":
            wrong += timing_rows(chosen.deaths)
        elif name == "axe":
            wrong += axe_row()
        else:
            parser.error(f"no row is called {name}")
    return 1 if wrong else 0


@contextlib.contextmanager
def a_place(limited: bool) -> Iterator[Place]:
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-jupyter-") as folder,
        Group(LIMIT_MIB) if limited else contextlib.nullcontext() as group,
    ):
        yield Place(Path(folder) / "place", group)


def possible_deaths() -> dict[str, str]:
    if os.geteuid() == 0:
        return DEATHS
    return {slug: code for slug, code in DEATHS.items() if slug != "cgroup-oom"}


def command_row(name: str, count: int) -> int:
    """One front end; returns how often it was wrong."""
    right = loud = 0
    kinds = [*possible_deaths().items()]
    with a_place("cgroup-oom" in possible_deaths()) as place:
        for number in range(count):
            slug, code = kinds[number % len(kinds)]
            first, second, *_ = FRONT_ENDS[name](place, ["x = 1", code, "print('after')"])
            placed = slug == "killed" or "cell [2]" in second
            right += f" {slug}" in second and placed and "KernelDied" not in first
        for number in range(count):
            shown = FRONT_ENDS[name](place, ["x = 1", ENDS[number % len(ENDS)], "y = 2"])
            loud += any("KernelDied" in one for one in shown)
    return show_row(name, right, loud, count)


def browser_row(name: str, count: int) -> int:
    if obstacle := browsers.obstacle(name):
        print(f"{name:<12} left out; {obstacle}", flush=True)
        return 0
    seen = browsers.browse(name, possible_deaths(), count)
    wrong = show_row(name, seen["right"], seen["loud"], count)
    return wrong + show_refusals(seen["named"], seen["wordy"], count)


def again_row(name: str, count: int) -> int:
    """Half of the clicks come at once, half after the server has restarted the kernel by itself."""
    if obstacle := browsers.obstacle(name):
        print(f"{name:<12} left out; {obstacle}", flush=True)
        return 0
    times = browsers.browse(name, {}, count, restarts=True)["restarts"]
    middle, worst = times[len(times) // 2], times[-1]
    print(
        f"{name:<12} restart and run to here starts after {middle:.1f} s, worst {worst:.1f} s of "
        f"{len(times)}; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return int(middle > RESTART_S)


def show_row(name: str, right: int, loud: int, count: int) -> int:
    print(f"{name:<12} {right:>3} of {count:<19} {loud} of {count}", flush=True)
    return count - right + loud


def restart_rows(count: int) -> int:
    with a_place(limited=False) as place:
        loud = restarts.quiet_ends(place, count)
        print(f"{'restarts':<12} {'-':<26} {loud} of {count}", flush=True)
        left = restarts.left_behind(place)
    print(f"five restarts in a row leave behind: {', '.join(left) or 'nothing'}", flush=True)
    return loud + len(left)


def shutdown_row(count: int) -> None:
    """A race of ipykernel's own, so that it has no bar: as often with us as without."""
    with a_place(limited=False) as place:
        ends = {name: shutdowns.aborted(place, name, count) for name in ("plain", "held")}
        print(
            f"shut down while threads print: aborted {ends['plain']} of {count} plain, "
            f"{ends['held']} of {count} watched; words left behind: "
            f"{len(list((place.folder / 'home').glob('kernels/*')))}"
        )


def refusals_of(name: str, count: int) -> int:
    """Cells that a guard which is on refuses memory, and healthy ones."""
    if os.geteuid() != 0:
        print(f"{'':<12} refused cells left out; a memory limit around a kernel needs root")
        return 0
    with a_place(limited=True) as place:
        place.environment["HOLDFAST_GUARD"] = "on"
        right = refusals.named_right(place, FRONT_ENDS[name], count)
        wordy = refusals.healthy_words(place, FRONT_ENDS[name], count)
    return show_refusals(right, wordy, count)


def show_refusals(right: int, wordy: int, count: int) -> int:
    print(
        f"{'':<12} refused cells named right: {right} of {count}; words where nothing was "
        f"refused: {wordy} of {count}",
        flush=True,
    )
    return count - right + wordy


def panel_row(count: int) -> int:
    if os.geteuid() != 0:
        print("panel        left out; a memory limit around a kernel needs root", flush=True)
        return 0
    with a_place(limited=True) as place:
        place.environment["HOLDFAST_GUARD"] = "on"
        times = refusals.error_to_words(place, count)
    middle, worst = times[len(times) // 2], times[-1]
    print(
        f"error to panel: median {middle:.2f} s, worst {worst:.2f} s of {len(times)}; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    return int(middle > WORDS_S)


def names_row(count: int) -> int:
    """A look at 10,000 variables; its bar is for the median of later looks, by processor time."""
    with a_place(limited=False) as place:
        first, later = inspector.looks(place, 10_000, count)
    for which, looks in (("first look", first), ("later", later)):
        wall, cpu = (sorted(column) for column in zip(*looks, strict=True))
        print(
            f"10,000 names, {which}: {cpu[len(cpu) // 2]:.0f} ms of processor time, worst "
            f"{cpu[-1]:.0f}; wall clock {wall[len(wall) // 2]:.0f} ms, worst {wall[-1]:.0f}, of "
            f"{len(looks)}; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    return int(cpu[len(cpu) // 2] > LOOK_MS)


def axe_row() -> int:
    if obstacle := browsers.obstacle("lab"):
        print(f"axe          left out; {obstacle}", flush=True)
        return 0
    found = browsers.serious_findings()
    where = "panel, side panel, status bar, dialog, notification, verdict and report, both themes"
    print(f"axe-core, {where}: {found or 'nothing serious'}", flush=True)
    return int(bool(found))


def timing_rows(count: int) -> int:
    with a_place(limited=False) as place:
        times = timing.death_to_words(place, count)
        middle, worst = times[len(times) // 2], times[-1]
        print(
            f"death to words: median {middle:.2f} s, worst {worst:.2f} s of {len(times)}; "
            f"load {os.getloadavg()[0]:.1f}"
        )
        watched, plain = timing.start_up(place, count)
    slower = 1000 * (watched - plain)
    print(
        f"start-up to the first reply: watched {watched:.2f} s, plain {plain:.2f} s "
        f"({slower:+.0f} ms), medians of {count}; load {os.getloadavg()[0]:.1f}"
    )
    return int(middle > WORDS_S) + int(slower > START_UP_MS)


if __name__ == "__main__":
    sys.exit(main())
