"""Touches memory that was taken long ago, a piece at every step, until it must stop.

usage: brink_touch.py steps|callback|interrupt|pause
"""

import mmap
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import holdfast

MIB = 1 << 20
memory = mmap.mmap(-1, 1024 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def touch(number: int) -> None:
    begin = number * 4 * MIB
    memory[begin : begin + 4 * MIB] = b"x" * (4 * MIB)


def by_steps() -> None:
    try:
        for number in range(256):
            touch(number)
            holdfast.step()
    except holdfast.BrinkError as error:
        assert isinstance(error, MemoryError)
        print("brink after", number, flush=True)


def by_callback() -> None:
    called = threading.Event()

    @holdfast.on_brink
    def save(brink):
        print("called", brink.limit // MIB, brink.room < brink.limit // 8, flush=True)
        called.set()

    holdfast.on_brink(lambda: 1 / 0)  # one that fails must not keep the others from being called
    for number in range(256):
        if called.is_set():
            return
        touch(number)
        time.sleep(0.05)


def by_interrupt() -> None:
    saved = []

    @holdfast.on_brink(interrupt=True)
    def save():
        saved.append(len(done))

    done = []
    try:
        for number in range(256):
            touch(number)
            done.append(number)
            time.sleep(0.02)
    except holdfast.BrinkError:
        print("interrupted", bool(saved), 0 < len(done) < 64, flush=True)


def by_pause() -> None:
    """A worker counts; while the callback runs, it must not."""
    worker = subprocess.Popen(["sh", "-c", "while :; do echo; sleep 0.01; done"], stdout=-1)
    called = threading.Event()

    @holdfast.on_brink(pause=True)
    def save():
        state = Path(f"/proc/{worker.pid}/stat").read_text().split()[2]
        print("worker", state, flush=True)
        if sys.argv[2:] == ["die"]:
            os.kill(os.getpid(), 9)
        called.set()

    print(worker.pid, flush=True)
    threading.Thread(target=lambda: [None for _ in worker.stdout], daemon=True).start()
    for number in range(256):
        if called.is_set():
            break
        touch(number)
        time.sleep(0.05)
    while Path(f"/proc/{worker.pid}/stat").read_text().split()[2] == "T":
        time.sleep(0.01)
    print("then runs", flush=True)
    worker.kill()


{"steps": by_steps, "callback": by_callback, "interrupt": by_interrupt, "pause": by_pause}[
    sys.argv[1]
]()
