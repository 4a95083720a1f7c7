"""Growth that cannot be refused: the main thread gets a BrinkError before the kernel kills."""

import signal
import subprocess
import sys

import pytest

MIB = 1 << 20
LIMIT = 512 * MIB


@pytest.fixture
def guarded(holdfast, control_group):
    group = control_group(memory=LIMIT)
    inside = holdfast.inside(group.inside)

    def run(code: str, mode: str = "on"):
        ended = inside.run(sys.executable, "-c", code, options=[f"--guard={mode}"], text=True)
        return ended, group.oom_kills

    return run


# Memory that was mapped long ago and is written line by line: there is no request to refuse.
TOUCH = """
import mmap
block = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
piece = b"x" * (1 << 18)
try:
    for at in range(0, 4 << 30, 1 << 18):
        block[at : at + (1 << 18)] = piece
except MemoryError as error:
    block.close()
    print(type(error).__module__, type(error).__name__)
"""


def test_pages_touched_late_end_in_an_error_at_a_line(guarded):
    ended, kills = guarded(TOUCH)
    assert (ended.stdout, ended.returncode, kills) == ("holdfast BrinkError\n", 0, 0), ended.stderr
    assert ended.stderr.count("guard: memory was about to run out") == 1


def test_the_same_program_is_killed_where_the_guard_only_warns(guarded):
    ended, kills = guarded(TOUCH, mode="warn")
    assert (ended.returncode, kills) == (-signal.SIGKILL, 1)


def test_a_main_thread_that_waits_for_one_that_grows_gets_the_error(guarded):
    """A few megabytes a second: a thread that grows at full speed sometimes wins."""
    ended, kills = guarded(
        "import threading, time\n"
        "stop, kept = False, []\n"
        "def grow():\n"
        "    while not stop:\n"
        "        kept.append(bytearray(b'x') * (1 << 20))\n"
        "        time.sleep(0.003)\n"
        "thread = threading.Thread(target=grow)\n"
        "thread.start()\n"
        "try: thread.join()\n"
        "except MemoryError as error:\n"
        "    stop = True\n"
        "    thread.join()\n"
        "    print(type(error).__name__)\n"
    )
    assert (ended.stdout, ended.returncode, kills) == ("BrinkError\n", 0, 0), ended.stderr


def test_who_touches_all_but_a_little_of_its_limit_is_left_alone(guarded):
    """It grows as fast as it can, stops 2 % and 8 MiB short of the end, and stays there."""
    ended, kills = guarded(
        "import _imp, mmap, time\n"
        "block = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "piece, at = b'x' * (1 << 18), 0\n"
        "while _imp._holdfast_agent.headroom()[0] > 19 << 20:\n"
        "    block[at : at + (1 << 18)] = piece\n"
        "    at += 1 << 18\n"
        "time.sleep(0.5)\n"
        "print('finished')\n"
    )
    assert (ended.stdout, ended.stderr, kills) == ("finished\n", "", 0)


def test_a_program_that_wants_the_signal_for_itself_has_it(guarded):
    ended, _ = guarded(
        "import signal, time\n"
        "time.sleep(0.1); [bytes(1000) for _ in range(100_000)]\n"
        "got = []\n"
        "signal.signal(signal.SIGURG, lambda *_: got.append(1))\n"
        "signal.raise_signal(signal.SIGURG)\n"
        "print(got)\n" + TOUCH
    )
    assert ended.stdout == "[1]\n", ended.stderr
    assert ended.returncode == -signal.SIGKILL


def test_no_error_is_raised_in_the_middle_of_an_import(guarded, tmp_path):
    """It comes when the import is over."""
    (tmp_path / "growing.py").write_text(
        "import mmap, time\n"
        "block = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "piece, at = b'x' * (1 << 16), 0\n"
        "import _imp\n"
        "while _imp._holdfast_agent.headroom()[0] > 3 << 19:\n"
        "    block[at : at + (1 << 16)] = piece\n"
        "    at += 1 << 16\n"
        "finished = True\n"
    )
    ended, _ = guarded(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "try:\n"
        "    import growing\n"
        "    growing.block.close()\n"
        "except MemoryError: pass\n"
        "print(hasattr(sys.modules.get('growing'), 'finished'))\n"
    )
    # Python forgets a module whose import has failed.
    assert ended.stdout == "True\n", ended.stderr


def test_a_program_stuck_after_a_refusal_is_told_of_and_ended(holdfast, control_group):
    """Nobody releases the lock, because the one who holds it was refused memory."""
    group = control_group(memory=LIMIT // 2)
    inside = holdfast.inside(group.inside)
    code = (
        "import threading\n"
        "lock, kept = threading.Lock(), []\n"
        "def grow():\n"
        "    lock.acquire()\n"
        "    while True: kept.append(bytes([1]) * (1 << 20))\n"
        "try: grow()\n"
        "except MemoryError: kept.clear()\n"
        "threading.Thread(target=lock.acquire, daemon=True).start()\n"
        "lock.acquire()\n"
    )
    ended = inside.run(
        sys.executable, "-c", code, options=["--guard=on", "--guard-grace=1"], text=True
    )
    assert ended.returncode == -signal.SIGTERM, ended.stderr
    assert "since memory was refused" in ended.stderr
    assert inside.why()["root"]["slug"] == "guard-refused"
    assert group.oom_kills == 0


def test_an_executors_thread_hands_its_error_to_who_asks_for_the_result(guarded):
    ended, kills = guarded(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def grow(): return [bytearray(b'x') * (1 << 20) for _ in range(1 << 20)]\n"
        "with ThreadPoolExecutor(1) as pool:\n"
        "    try: pool.submit(grow).result()\n"
        "    except MemoryError: print('caught')\n"
    )
    # If the main thread is called first, it may get the error where it waits for the pool.
    assert kills == 0, ended.stderr
    assert (ended.stdout, ended.returncode) == ("caught\n", 0) or "BrinkError" in ended.stderr


# oneDNN 3.10 (torch 2.11) keeps data below the stack pointer while it multiplies matrices.
BELOW_THE_STACK = """
#include <string.h>
long damaged(long rounds) {
    volatile unsigned char *low = (unsigned char *)__builtin_frame_address(0) - (12 << 10);
    const long size = 11 << 10;
    long count = 0;
    for (long i = 0; i < size; ++i) low[i] = 0x5a;
    for (volatile long i = 0; i < rounds; ++i) {}
    for (long i = 0; i < size; ++i) count += low[i] != 0x5a;
    return count;
}
"""


def test_a_call_leaves_alone_what_lies_below_the_stack(guarded, tmp_path, compiler):
    source, library = tmp_path / "below.c", tmp_path / "below.so"
    source.write_text(BELOW_THE_STACK)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    ended, kills = guarded(
        "import ctypes, threading, time\n"
        f"damaged = ctypes.CDLL({str(library)!r}).damaged\n"
        "damaged.argtypes, damaged.restype = [ctypes.c_long], ctypes.c_long\n"
        "stop, kept = False, []\n"
        "def grow():\n"
        "    while not stop:\n"
        "        kept.append(bytearray(b'x') * (1 << 20))\n"
        "        time.sleep(0.003)\n"
        "thread = threading.Thread(target=grow)\n"
        "thread.start()\n"
        "count = 0\n"
        "try:\n"
        "    while thread.is_alive(): count += damaged(100_000_000)\n"
        "except MemoryError: stop = True\n"
        "thread.join()\n"
        "print(count, stop)\n"
    )
    assert (ended.stdout, ended.returncode, kills) == ("0 True\n", 0, 0), ended.stderr
