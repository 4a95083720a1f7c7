"""Kernels that end on request: what is shown about it, and what is left behind."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.jupyter.place import Place

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


@contextmanager
def kernel(place: Place, name: str) -> Iterator[tuple]:
    """A kernel that is ready, its manager and its client."""
    os.environ.update(place.environment)
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name=name)
    with (place.folder / "kernel.log").open("ab") as log:
        manager.start_kernel(stderr=log)
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            yield manager, client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def quiet_ends(place: Place, numbers: Iterable[int]) -> tuple[int, int]:
    """How many restarts and shutdowns, idle or in a cell, showed nothing; of how many."""
    quiet = played = 0
    for number in numbers:
        now, busy, restart = number % 2 == 1, number % 4 < 2, number % 5 < 3
        log = place.folder / "kernel.log"
        log.write_bytes(b"")
        with kernel(place, "held") as (manager, client):
            if busy:
                _keep_busy(client)
            if restart:
                manager.restart_kernel(now=now)
                client.wait_for_ready(timeout=60)
            else:
                manager.shutdown_kernel(now=now)
            heard = _heard(client)
        left = list((place.folder / "home").glob("kernels/*"))
        loud = "KernelDied" in heard or b"holdfast: " in log.read_bytes() or bool(left)
        quiet += not loud
        played += 1
    return quiet, played


def _keep_busy(client) -> None:
    client.execute("import time; print('on', flush=True); time.sleep(100)")
    while client.get_iopub_msg(timeout=60)["msg_type"] != "stream":
        pass


def _heard(client) -> str:
    from queue import Empty

    heard = ""
    try:
        while True:
            heard += str(client.get_iopub_msg(timeout=0.5))
    except Empty:
        return heard


def left_behind(place: Place, count: int = 5) -> list[str]:
    """Processes, ports and files that exist after so many restarts and did not before."""
    marked = dict(place.environment, HOLDFAST_BENCH=place.folder.name)
    place.environment.update(marked)
    before = _files(place)
    with kernel(place, "held") as (manager, client):
        ports = [json.loads(Path(manager.connection_file).read_text())[name] for name in PORTS]
        for number in range(count):
            manager.restart_kernel(now=number % 2 == 1)
            client.wait_for_ready(timeout=60)
        client.stop_channels()
        manager.shutdown_kernel()
        left = _when_settled(lambda: _processes(marked["HOLDFAST_BENCH"]))
        left += _when_settled(lambda: [f"port {port}" for port in ports if not _free(port)])
    return left + [f"file {path}" for path in sorted(_files(place) - before)]


def _when_settled(look: Callable[[], list[str]]) -> list[str]:
    """What still exists after a while."""
    end = time.monotonic() + 5
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _processes(mark: str) -> list[str]:
    """By a variable in their environment, which started processes inherit."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            if f"HOLDFAST_BENCH={mark}".encode() in (folder / "environ").read_bytes():
                found.append(f"process {(folder / 'cmdline').read_text()}")
        except OSError:
            continue
    return found


def _free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _files(place: Place) -> set[Path]:
    """All files except the records of runs, which are meant to stay, and IPython's history."""
    skip = (place.folder / "home/runs", place.folder / "ipython", place.folder / "kernel.log")
    return {
        path
        for path in place.folder.rglob("*")
        if not any(path == one or one in path.parents for one in skip) and path.is_file()
    }
