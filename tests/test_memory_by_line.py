"""Memory by line: the agent counts what the program holds, at the line that asked for it."""

import ctypes
import itertools
import signal
import struct
import subprocess
from dataclasses import dataclass

import pytest

from support import agent_box
from support.interpreters import each, need, python_with
from support.run import PATIENCE, PROGRAMS, PYTHON

MIB = 1 << 20
BORROWED, SMALL_OBJECTS, ARENA, NATIVE = 2, 4, 8, 16
SITE = struct.Struct("<16HIIQQQQ16I")


@dataclass
class Site:
    stack: list[tuple[str, str, int]]  # file, function, line; innermost first
    flags: int
    live: int
    peak: int
    error: float
    history: list[int]  # live KiB at the end of each window

    def at(self, *place) -> bool:
        return any((file, line) == place for file, _, line in self.stack)


class Memory:
    """The figures of one process."""

    def __init__(self, raw: bytes):
        slot = agent_box.Slot.from_buffer_copy(raw)
        self.pid = slot.pid
        memory = slot.memory
        self.interval, self.samples, self.dropped, self.live, self.peak, self.arenas = (
            memory.figures[:6]
        )
        self.windows = [list(window.words) for window in memory.windows[: memory.window_count]]
        texts = raw[agent_box.Slot.text.offset :]

        def text(ref):
            return texts[ref.offset : ref.offset + ref.size].decode()

        self.sites = []
        for site in memory.sites[: memory.site_count]:
            words = SITE.unpack(bytes(memoryview(site)))
            frames = [slot.frames[n] for n in words[:16] if n != agent_box.NO_FRAME]
            stack = [(text(f.file), text(f.function), f.line) for f in frames]
            flags, _blocks, live, peak, _total, variance = words[16:22]
            history = list(words[22 : 22 + memory.window_count])
            self.sites.append(Site(stack, flags, live, peak, 1024 * variance**0.5, history))

    def at(self, place) -> list[Site]:
        return [site for site in self.sites if site.at(*place)]

    def live_at(self, place) -> int:
        return sum(site.live for site in self.at(place))


def place(name: str, mark: str) -> tuple[str, int]:
    """The line of a program with `# mark: NAME`."""
    path = PROGRAMS / name
    lines = path.read_text().splitlines()
    (line,) = (n for n, text in enumerate(lines, 1) if text.endswith(f"# mark: {mark}"))
    return str(path), line


@pytest.fixture
def memory_of(holdfast):
    """Runs a program that ends by killing itself; returns the memory of each of its processes."""

    def run(python, name, *arguments):
        ended = holdfast.run(python, str(PROGRAMS / name), *map(str, arguments), text=True)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        run.output = ended.stdout
        box = (holdfast.runs()[-1] / "agent.box").read_bytes()
        start = 2 * agent_box.PAGE
        slots = [box[start + i * agent_box.SLOT_SPACE :] for i in range(agent_box.SLOTS)]
        return [m for m in (Memory(raw[: agent_box.SLOT_SPACE]) for raw in slots) if m.pid]

    return run


@pytest.mark.parametrize(
    "way", ["blocks", "large", "mapped", "grown", "deep", "threads", "numpy", "pandas", "torch"]
)
def test_a_line_that_holds_much_is_known_within_a_tenth(memory_of, way):
    python = python_with(way) if way in ("numpy", "pandas", "torch") else PYTHON
    (memory,) = memory_of(python, "heap_hold.py", way, 250)
    assert memory.live_at(place("heap_hold.py", way)) == pytest.approx(250 * MIB, rel=0.1)
    assert not any(site.flags & BORROWED for site in memory.at(place("heap_hold.py", way)))


@each("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
def test_every_interpreter_gets_lines(memory_of, version):
    (memory,) = memory_of(need(version), "heap_hold.py", "blocks", 200)
    assert memory.live_at(place("heap_hold.py", "blocks")) == pytest.approx(200 * MIB, rel=0.1)


def test_what_was_freed_is_not_held(memory_of):
    (memory,) = memory_of(PYTHON, "heap_hold.py", "freed", 200)
    here = memory.at(place("heap_hold.py", "freed"))
    assert sum(site.live for site in here) < 5 * MIB
    # The next list is made while the last one still exists. The maximum of many estimates tends to
    # be too high.
    assert sum(site.peak for site in here) == pytest.approx(400 * MIB, rel=0.25)


def test_a_forked_child_counts_its_own(memory_of):
    memories = memory_of(PYTHON, "heap_hold.py", "forked", 100)
    assert len(memories) == 2
    mine, its = place("heap_hold.py", "large"), place("heap_hold.py", "forked")
    (parent,) = (memory for memory in memories if memory.live_at(mine))
    (child,) = (memory for memory in memories if memory.live_at(its))
    assert parent.live_at(mine) == pytest.approx(100 * MIB, rel=0.1)
    assert child.live_at(its) == pytest.approx(100 * MIB, rel=0.1)
    assert child.live_at(mine) == parent.live_at(its) == 0


@each("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
def test_a_leak_of_small_objects_is_not_blamed_on_temporaries(memory_of, version):
    (memory,) = memory_of(need(version), "heap_leak.py", "leak", 9)
    small = [site for site in memory.sites if site.flags & SMALL_OBJECTS]
    leaking = sum(s.live for s in small if s.stack[0][::2] == place("heap_leak.py", "leak"))
    temporary = sum(
        s.live for s in small if s.stack[0][::2] == place("heap_leak.py", "temporaries")
    )
    assert leaking > 2 * MIB
    assert temporary < leaking / 4
    assert sum(site.live for site in small) <= memory.arenas


@each("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
@pytest.mark.parametrize("way", ["dicts", "tuples", "strings", "parsed"])
def test_a_burst_of_small_objects_is_counted_at_its_line(memory_of, version, way):
    (memory,) = memory_of(need(version), "heap_burst.py", way)
    assert sum(s.live for s in memory.sites if s.flags & (SMALL_OBJECTS | ARENA)) <= memory.arenas
    grown = int(memory_of.output)
    assert memory.live_at(place("heap_burst.py", way)) == pytest.approx(grown, rel=0.15)


def test_a_cache_that_stops_growing_is_no_growth(memory_of):
    (memory,) = memory_of(PYTHON, "heap_leak.py", "remember", 9)
    half = len(memory.windows) // 2
    for site in memory.sites:
        assert site.history[-1] - site.history[half] < 8 * 1024, site


def test_windows_follow_the_growth(memory_of):
    (memory,) = memory_of(PYTHON, "heap_leak.py", "leak", 6)
    assert 8 <= len(memory.windows) <= 16
    ends = [window[0] for window in memory.windows]
    assert ends == sorted(set(ends))
    arenas = [window[4] for window in memory.windows]
    assert arenas[-1] - arenas[len(arenas) // 2] > 3 * MIB
    for window in memory.windows:
        assert window[2] > 5 * MIB  # resident


def test_windows_follow_growth_however_quick(memory_of):
    (memory,) = memory_of(PYTHON, "heap_quick.py")
    live = [window[3] for window in memory.windows] + [
        memory.live_at(place("heap_quick.py", "keep"))
    ]
    assert max(after - before for before, after in itertools.pairwise(live)) < 250 * MIB
    assert len(live) > 6


@pytest.fixture(scope="session")
def storm(tmp_path_factory):
    """The storm as a library, because the agent counts only in Python processes."""
    library = tmp_path_factory.mktemp("storm") / "storm.so"
    source = PROGRAMS / "heap_storm.c"
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lpthread"], check=True
    )
    return library


def test_a_storm_of_threads_and_forks_loses_nothing(holdfast, storm):
    code = f"""
import ctypes
words = (ctypes.c_char_p * 4)(b"storm", b"20000", b"4", b"40")
raise SystemExit(ctypes.CDLL({str(storm)!r}).main(4, words))
"""
    ended = holdfast.run(PYTHON, "-c", code, text=True, timeout=2 * PATIENCE)
    assert (ended.returncode, ended.stdout) == (0, "calm\n"), ended.stderr


def test_heap_corruption_ends_as_without_us(holdfast):
    code = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = libc.memset.argtypes = [ctypes.c_void_p]
block = libc.malloc(100)
# What lies before the pointer is taken for its header; of something else glibc says other words.
libc.memset(block, 0, 100)
libc.free(block + 8)
"""
    ended = holdfast.run(PYTHON, "-c", code, text=True)
    assert ended.returncode == -signal.SIGABRT
    assert "free(): invalid pointer" in ended.stderr


def test_the_box_is_laid_out_as_this_test_reads_it():
    assert SITE.size == ctypes.sizeof(agent_box.Site)
