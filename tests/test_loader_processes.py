"""Worker processes: the same batches, and a death that is reported."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from support.loader import MIB, Fine, found, make  # noqa: F401
from support.run import ROOT


class Deadly(Fine):
    """A dataset with one sample that ends the process that makes it."""

    def __getitem__(self, index):
        if index == 77:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


class Hungry(Fine):
    def __getitem__(self, index):
        return np.ones((64 if index else 4) * MIB)[:2]


def test_a_workers_death_is_told_with_its_signal():
    from holdfast.loader import WorkerDied

    with make(Deadly(), batch=8, processes=2) as loader:
        for _ in range(3):  # each time, because dead workers are replaced
            with pytest.raises(
                WorkerDied,
                match=r"ended by signal SIGKILL while it made sample 77, in .*processes\.py:\d+$",
            ):
                for _batch in loader:
                    pass


class Slow(Fine):
    """The second sample takes for ever; one of the second batch ends its worker."""

    def __getitem__(self, index):
        if index == 1:
            time.sleep(3600)
        if index == 9:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


def test_a_death_is_told_while_another_worker_is_still_at_work():
    from holdfast.loader import WorkerDied

    with make(Slow(), batch=8, processes=2, shuffle=False) as loader:
        with pytest.raises(WorkerDied, match="SIGKILL while it made sample 9"):
            next(iter(loader))


CRASHING = f"""
import ctypes, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from holdfast import Loader
class Crashing:
    def __len__(self): return 50
    def __getitem__(self, index):
        if index == 7:
            ctypes.string_at(0)  # line 8
        return index
if __name__ == "__main__":
    with Loader(Crashing(), batch=4, processes=2, budget="16MiB", as_="numpy") as loader:
        try:
            for _ in loader: pass
        except Exception as error:
            print(type(error).__name__, error)
"""


def test_in_a_supervised_run_a_workers_crash_has_its_cause_and_line(binary, tmp_path):
    script = tmp_path / "crashing.py"
    script.write_text(CRASHING)
    done = subprocess.run(
        [binary, "run", "--", sys.executable, script],
        capture_output=True,
        text=True,
        env={**os.environ, "HOLDFAST_HOME": str(tmp_path / "home")},
    )
    assert "ended by signal SIGSEGV while it made sample 7: HF301 segfault" in done.stdout, (
        done.stderr
    )
    assert f"{script}:9" in done.stdout


def test_a_worker_fails_with_memoryerror_at_its_share():
    from holdfast.loader import SampleError

    with make(Hungry(), batch=8, processes=2, budget="16MiB") as loader:
        with pytest.raises(SampleError, match="MemoryError"):
            for _batch in loader:
                pass


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_the_same_batches(method, tmp_path):
    code = (
        "import multiprocessing, sys\n"
        f"sys.path[:0] = [{str(ROOT / 'python')!r}, {str(ROOT / 'tests')!r}]\n"
        "from support.loader import Fine, make\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_start_method({method!r})\n"
        "    for processes in (0, 2):\n"
        "        with make(Fine(), batch=7, processes=processes, seed=2) as loader:\n"
        "            print([y.tolist() for _ in range(2) for _, y in loader])\n"
    )
    script = tmp_path / "train.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == second


LOOP = """
import multiprocessing, os, sys
sys.path[:0] = {paths!r}
from support.loader import Fine, make
with make(Fine(), batch=8, processes=2) as loader:
    for _ in loader:
        pass
print(os.listdir("/dev/shm"), multiprocessing.active_children())
"""


def test_nothing_is_left_behind_by_processes(tmp_path):
    # With its own /dev/shm, because others use the machine's, too.
    own = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]
    trial = subprocess.run([*own, "true"], capture_output=True, text=True, check=False)
    if trial.returncode != 0:
        pytest.skip(f"no file system can be mounted: {trial.stderr.strip()}")
    code = LOOP.format(paths=[str(ROOT / "python"), str(ROOT / "tests")])
    done = subprocess.run([*own, sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[] []\n", 0), done.stderr
