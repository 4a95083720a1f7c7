"""Compares the agent's decoder of line tables with Python's own, over the modules beside os.py.

usage: line_tables.py LIBRARY       LIBRARY: agent/python/stack_test.cc, built
       line_tables.py LIBRARY cost  what a look at a stack of 16 frames costs, in CPU time
"""

import ctypes
import dis
import os
import sys
from pathlib import Path

LIBRARY = ctypes.PyDLL(sys.argv[1])


def codes_of(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from codes_of(constant)


def table_of(code):
    return code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab


def ranges_of(code):
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    starts = list(dis.findlinestarts(code))  # before 3.10
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    return [(start, end, line) for (start, line), end in zip(starts, ends)]  # noqa: B905


def lines():
    entries = 0
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        for code in codes_of(compile(path.read_bytes(), path.name, "exec")):
            table = table_of(code)
            for start, end, line in ranges_of(code):
                for at in {start, end - 2} if end > start else ():
                    size = ctypes.c_size_t(len(table))
                    first = code.co_firstlineno
                    got = LIBRARY.probe_line(sys.version_info[1], table, size, first, at)
                    entries += 1
                    if got != (line or 0):
                        sys.exit(f"{path}, {code.co_name} at {at}: read {got}, is {line}")
    print(f"{entries} checked")


def cost():
    def deep(depth, which, rounds):
        if depth:
            return deep(depth - 1, which, rounds)
        return LIBRARY.probe_cost(which, ctypes.c_long(rounds), 16)

    LIBRARY.probe_cost.restype = ctypes.c_long
    for which, rounds, what in ((0, 20000, "own"), (1, 2000, "main"), (2, 20000, "describe")):
        deep(16, which, rounds)
        print(f"{what}: {deep(16, which, rounds) / rounds:.0f} ns")


if __name__ == "__main__":
    cost() if sys.argv[2:] == ["cost"] else lines()
