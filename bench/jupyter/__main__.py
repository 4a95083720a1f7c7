"""Deaths and orderly ends of kernels by front end, and what watching costs them: a table.

usage: python bench/jupyter [--deaths 20] [--only nbclient,papermill,...]

Each death is a real one; it counts when the cell that did it shows the right cause. Runs in the
Python that has the front ends (nbclient, papermill, jupyter_console, ipykernel).
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.jupyter.front_ends import FRONT_ENDS, Place, quiet_ends
from bench.jupyter.timing import death_to_words, start_up

DEATHS = {
    "segfault": "import ctypes\nctypes.string_at(0)",
    "native-abort": "import os\nos.abort()",
    "exit-called": "import os\nos._exit(3)",
    "killed": "import os, time\nos.kill(os.getpid(), 15)\ntime.sleep(30)",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deaths", type=int, default=20, help="of each front end")
    parser.add_argument("--only", default="", help="front ends, or timing, by commas")
    chosen = parser.parse_args()
    only = [name for name in chosen.only.split(",") if name] or [*FRONT_ENDS, "timing"]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-jupyter-") as folder:
        place = Place(Path(folder))
        print(f"{'front end':<12} {'right cause, right cell':<26} words at an orderly end")
        for name in only:
            if name != "timing":
                wrong += row(place, name, chosen.deaths)
        if "timing" in only:
            timing(place, chosen.deaths)
    return 1 if wrong else 0


def row(place: Place, name: str, count: int) -> int:
    """One front end; returns how often it was wrong."""
    right = 0
    kinds = [*DEATHS.items()]
    for number in range(count):
        slug, code = kinds[number % len(kinds)]
        said = FRONT_ENDS[name](place, ["x = 1", code, "print('after')"])
        right += f" {slug}: " in said and (slug == "killed" or "cell [2]" in said)
    loud = quiet_ends(place, name, count)
    print(f"{name:<12} {right:>3} of {count:<19} {loud} of {count}", flush=True)
    return count - right + loud


def timing(place: Place, count: int) -> None:
    times = sorted(death_to_words(place, count))
    middle, worst = times[len(times) // 2], times[-1]
    print(f"death to words: median {middle:.2f} s, worst {worst:.2f} s of {len(times)}", flush=True)
    watched, plain = start_up(place, count)
    print(
        f"start-up to the first reply: watched {watched:.2f} s, plain {plain:.2f} s "
        f"({1000 * (watched - plain):+.0f} ms), medians of {count}"
    )


if __name__ == "__main__":
    sys.exit(main())
