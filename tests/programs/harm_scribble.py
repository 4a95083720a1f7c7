"""Overwrites figures in its own slot of agent.box while memory is counted. Arguments: the offsets
of the words in the slot, then the beginning of the slots and the size of each."""

import mmap
import os
import struct
import sys
import time
from pathlib import Path

*words, begin, space = map(int, sys.argv[1:])
maps = Path("/proc/self/maps").read_text()
path = next(line.split()[-1] for line in maps.splitlines() if line.endswith("agent.box"))
with Path(path).open("r+b") as file:
    box = mmap.mmap(file.fileno(), 0)
own = next(
    at for at in range(begin, len(box), space) if struct.unpack_from("i", box, at)[0] == os.getpid()
)

names = {}
for value in (0xFFFFFFFF, 0x80000000, 33 << 10, 600):
    for i in range(700):
        for word in words:
            struct.pack_into("I", box, own + word, value)
        # A different line each time: new frames, new sites.
        name = f"asks_{value}_{i}"
        code = "\n" * i + f"def {name}(): return bytearray(600 << 10)"
        exec(compile(code, f"/nowhere/{name}.py", "exec"), names)
        block = names[name]()
    time.sleep(0.3)  # until a window ends by time
    block = bytearray(1 << 20)
print("unharmed")
