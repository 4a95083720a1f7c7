"""Kernels that are shut down while their threads print, which ipykernel does not always survive."""

from __future__ import annotations

import signal

from bench.jupyter.place import Place
from bench.jupyter.restarts import kernel

PRINTS = """
import sys, threading
def out():
    while True:
        print("x" * 10)
        sys.stdout.flush()
for _ in range(3):
    threading.Thread(target=out, daemon=True).start()
"""


def aborted(place: Place, name: str, count: int) -> int:
    """How many of these kernels ended by SIGABRT, plain or as their supervisor says."""
    ends = []
    for _ in range(count):
        with kernel(place, name) as (manager, client):
            process = manager.provisioner.process
            client.execute_interactive(PRINTS, output_hook=lambda _: None)
            client.stop_channels()
            manager.shutdown_kernel()
            ends.append(process.returncode)
    return sum(end in (-signal.SIGABRT, 128 + signal.SIGABRT) for end in ends)
