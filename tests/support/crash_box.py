"""Reads crash.box as src/record/agent_format.h lays it out, without any of the program's code."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

PAGE = 4096
SLOTS = 4
SLOT_SPACE = 240 << 10
STATES = ("empty", "writing", "complete", "survived")
REGISTERS = 40
# From `state` to `unwound`.
HEAD = struct.Struct(f"<8iQqQ2I{REGISTERS}Q2Q2QQI16s32s256s1024s7II")
TEXTS = {
    "abort": 2048,
    "unread": 8192,
    "modules": 48 << 10,
    "python": 40 << 10,
    "threads": 8 << 10,
    "native": 24 << 10,
    "stack": 96 << 10,
}


@dataclass
class Crash:
    """One record. A text is as far as it was finished when the writer died."""

    state: str
    pid: int
    tid: int
    signal: int
    code: int
    sender_pid: int
    address: int
    registers: tuple[int, ...] = field(repr=False)
    pc: int
    sp: int
    stack_low: int
    stack_high: int
    stack_from: int
    instruction: bytes
    thread: str
    exception_type: str
    exception_what: str
    abort: str
    unread: str
    modules: list[str]
    python: list[str]
    threads: list[str]
    native: str
    stack: bytes = field(repr=False)  # the environment may be in it


def text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode(errors="replace")


def parse(slot: bytes) -> Crash:
    head = HEAD.unpack_from(slot)
    state, pid, tid, number, code, _, sender, _, _, _, address, _, count = head[:13]
    registers = head[13 : 13 + REGISTERS]
    rest = head[13 + REGISTERS :]
    pc, sp, low, high, copied_from, instruction_size, instruction, thread, kind, what = rest[:10]
    sizes = dict(zip(TEXTS, rest[10:17], strict=True))
    parts, at = {}, HEAD.size
    for name, room in TEXTS.items():
        assert sizes[name] <= room, f"{name}: {sizes[name]} bytes in a field of {room}"
        parts[name] = slot[at : at + sizes[name]]
        at += room
    return Crash(
        state=STATES[state],
        pid=pid,
        tid=tid,
        signal=number,
        code=code,
        sender_pid=sender,
        address=address,
        registers=registers[:count],
        pc=pc,
        sp=sp,
        stack_low=low,
        stack_high=high,
        stack_from=copied_from,
        instruction=instruction[:instruction_size],
        thread=text(thread),
        exception_type=text(kind),
        exception_what=text(what),
        abort=text(parts["abort"]),
        unread=parts["unread"].decode(errors="replace"),
        native=parts["native"].decode(errors="replace"),
        modules=parts["modules"].decode(errors="replace").splitlines(),
        python=parts["python"].decode(errors="replace").splitlines(),
        threads=parts["threads"].decode(errors="replace").splitlines(),
        stack=parts["stack"],
    )


def read_crashes(run: Path | str) -> list[Crash]:
    """The records in a run's directory, in the order the places were taken."""
    box = Path(run, "crash.box").read_bytes()
    slots = (box[2 * PAGE + i * SLOT_SPACE :][:SLOT_SPACE] for i in range(SLOTS))
    return [crash for crash in map(parse, slots) if crash.state != "empty"]
