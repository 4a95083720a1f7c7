"""What the programs share: how much room there is, and how a caught error is reported."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

MIB = 1 << 20
GROUP = Path(os.environ.get("HF_GROUP", "/nonexistent"))


SWAPPING = os.environ.get("HF_SWAP") == "1"


def _number(*names: str) -> int:
    for name in names:
        try:
            return int((GROUP / name).read_text())
        except (OSError, ValueError):
            continue
    raise SystemExit(f"no figure in {GROUP}: set HF_GROUP to a memory cgroup, or to machine")


def _machine() -> dict[str, int]:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines}


def limit() -> int:
    """Includes swap, if the program may use it."""
    if str(GROUP) == "machine":
        now = _machine()
        return now["MemTotal"] - now.get("Hugetlb", 0)
    if SWAPPING and (GROUP / "memory.swap.max").exists():
        return _number("memory.max") + _number("memory.swap.max")
    both = ("memory.memsw.limit_in_bytes",) if SWAPPING else ()
    return _number(*both, "memory.limit_in_bytes", "memory.max")


def usage() -> int:
    if str(GROUP) == "machine":
        return limit() - _machine()["MemAvailable"]
    if SWAPPING and (GROUP / "memory.swap.max").exists():
        return _number("memory.current") + _number("memory.swap.current")
    both = ("memory.memsw.usage_in_bytes",) if SWAPPING else ()
    return _number(*both, "memory.usage_in_bytes", "memory.current")


def file_pages() -> int:
    """Pages that the kernel may drop: they do not count as used."""
    if str(GROUP) == "machine":
        return 0  # the machine's available memory already includes them
    fields = dict(line.split() for line in (GROUP / "memory.stat").read_text().splitlines())
    v1 = "total_inactive_file" in fields
    names = ("inactive_file", "active_file")
    return sum(int(fields[f"total_{name}" if v1 else name]) for name in names)


def room() -> int:
    return limit() - usage() + file_pages()


def report(state: dict, error: BaseException) -> None:
    """After a caught error the state must be whole, and Python must still work."""
    gc.collect()
    again = [str(i) for i in range(1000)]
    assert state == {"model": list(range(1000)), "step": 7}, "the state is damaged"
    print(f"SURVIVED {type(error).__name__}: {str(error)[:100]}", len(again), flush=True)


def is_memory_error(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "alloc" in str(error).lower()


def survive(body: Callable[[], object]) -> int:
    """Runs a body that would get us killed; 0 if it ended in an error with the state intact."""
    state = {"model": list(range(1000)), "step": 7}
    try:
        body()
    except Exception as error:
        if not is_memory_error(error):
            raise
        error.__traceback__ = None
        kept = error
    else:
        print("never ran out of memory", file=sys.stderr)
        return 3
    report(state, kept)
    return 0


class Catalogue:
    """Programs by name, each with the limit in MiB it is made for."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[int, Callable[[], object], str]] = {}

    def add(self, megabytes: int, needs: str = "numpy"):
        def keep(function):
            self._entries[function.__name__] = (megabytes, function, needs)
            return function

        return keep

    def __iter__(self) -> Iterator[tuple[str, int, str]]:
        return iter((name, entry[0], entry[2]) for name, entry in self._entries.items())

    def body(self, name: str) -> Callable[[], object]:
        return self._entries[name][1]

    def main(self, run: Callable[[Callable[[], object]], int]) -> None:
        if sys.argv[1:] == ["--list"]:
            for name, megabytes, needs in self:
                print(name, megabytes, needs)
        else:
            sys.exit(run(self.body(sys.argv[1])))
