"""Reads agent.box as src/record/agent_format.h lays it out, without the program's own code."""

import ctypes as c
import re
from dataclasses import dataclass, field
from pathlib import Path

from support.run import ROOT

PAGE = 4096
SLOTS = 64
_format = (ROOT / "src/record/agent_format.h").read_text()
SLOT_SPACE = int(re.search(r"agent_slot_space = (\d+)U << 10U;", _format)[1]) << 10
SIZE = 2 * PAGE + SLOTS * SLOT_SPACE
EXIT_KINDS = ("none", "sys.exit", "_exit", "exit")
NOTE_KINDS = (
    "none",
    "warning",
    "shutdown",
    "cell",
    "cuda_oom",
    "hook_failed",
    "unsupported",
    "framework",
    "kept_tensors",
    "nonfinite",
    "validation",
    "collector_off",
)
NO_FRAME = 0xFFFF


class TextRef(c.Structure):
    _fields_ = [("offset", c.c_uint32), ("size", c.c_uint32)]


class Frame(c.Structure):
    _fields_ = [
        ("file", TextRef),
        ("function", TextRef),
        ("line", c.c_uint32),
        ("flags", c.c_uint32),
    ]


Stack = c.c_uint16 * 16


class Place(c.Structure):
    _fields_ = [("time", c.c_int64), ("tid", c.c_int32), ("reserved", c.c_uint32), ("stack", Stack)]


class Exit(c.Structure):
    _fields_ = [("time", c.c_int64), ("kind", c.c_uint32), ("status", c.c_int32), ("stack", Stack)]


class Signal(c.Structure):
    _fields_ = [("time", c.c_int64), ("who", c.c_int32 * 4), ("sender", c.c_char * 104)]


class Exception_(c.Structure):
    _fields_ = [
        ("time", c.c_int64),
        ("tid", c.c_int32),
        ("frame_count", c.c_uint32),
        ("in_main_thread", c.c_uint32),
        ("reserved", c.c_uint32),
        ("thread", c.c_char * 32),
        ("type", c.c_char * 128),
        ("message", c.c_char * 1024),
        ("causes", c.c_char * 512),
        ("frames", c.c_uint16 * 32),
    ]


class Note(c.Structure):
    _fields_ = [
        ("time", c.c_int64),
        ("kind", c.c_uint32),
        ("text_size", c.c_uint32),
        ("a", c.c_int64),
        ("b", c.c_int64),
        ("text", c.c_char * 480),
    ]


class Step(c.Structure):
    _fields_ = [
        ("time", c.c_int64),
        ("number", c.c_uint64),
        ("gpu_allocated", c.c_uint64),
        ("gpu_reserved", c.c_uint64),
        ("loss", c.c_double),
        ("has_loss", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class Steps(c.Structure):
    _fields_ = [
        ("count", c.c_uint64),
        ("epoch", c.c_uint64),
        ("first", c.c_int64),
        ("last", c.c_int64),
        ("first_nonfinite_step", c.c_uint64),
        ("nonfinite_value", c.c_double),
        ("usual_ns", c.c_uint64),
        ("longest_ns", c.c_uint64),
        ("source", c.c_char * 32),
        ("ring_written", c.c_uint64),
        ("ring", Step * 64),
    ]


class Window(c.Structure):
    _fields_ = [("words", c.c_uint64 * 6)]


class Site(c.Structure):
    _fields_ = [("bytes", c.c_char * (32 + 8 + 32 + 64))]


class Memory(c.Structure):
    _fields_ = [
        ("window_ns", c.c_uint64),
        ("window_count", c.c_uint32),
        ("site_count", c.c_uint32),
        ("figures", c.c_uint64 * 10),
        ("windows", Window * 16),
        ("sites", Site * 512),
    ]


class Slot(c.Structure):
    _fields_ = [
        ("pid", c.c_int32),
        ("generation", c.c_uint32),
        ("start_ticks", c.c_uint64),
        ("taken", c.c_int64),
        ("ended", c.c_int64),
        ("python", c.c_uint32 * 4),
        ("cell_turned", c.c_int64),
        ("reserved", c.c_uint64 * 7),
        ("place", Place),
        ("exit", Exit),
        ("signals", Signal * 8),
        ("signals_written", c.c_uint64),
        ("exceptions", Exception_ * 4),
        ("exceptions_written", c.c_uint64),
        ("notes", Note * 16),
        ("notes_written", c.c_uint64),
        ("steps", Steps),
        ("memory", Memory),
        ("frame_count", c.c_uint32),
        ("text_size", c.c_uint32),
        ("frames", Frame * 1024),
        ("text", c.c_char * (32 << 10)),
    ]


assert c.sizeof(Slot) <= SLOT_SPACE


@dataclass
class Raised:
    type: str
    message: str
    causes: list[str]
    thread: str
    in_main_thread: bool
    frames: list[tuple[str, str, int]]  # file, function, line; innermost first


@dataclass
class Process:
    pid: int
    exceptions: list[Raised] = field(default_factory=list)
    notes: list[tuple[str, str, int, int]] = field(default_factory=list)
    exit: tuple[str, int] = ("none", 0)
    exit_frames: list[tuple[str, str, int]] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)
    losses: list[float | None] = field(default_factory=list)

    def noted(self, kind: str) -> list[str]:
        return [text for named, text, _, _ in self.notes if named == kind]


def _process(raw: bytes) -> Process:
    slot = Slot.from_buffer_copy(raw)
    texts = bytes(raw[Slot.text.offset : Slot.text.offset + Slot.text.size])

    def text(ref: TextRef) -> str:
        return texts[ref.offset : ref.offset + ref.size].decode(errors="replace")

    def frames(numbers) -> list[tuple[str, str, int]]:
        known = [slot.frames[n] for n in numbers if n != NO_FRAME]
        return [(text(frame.file), text(frame.function), frame.line) for frame in known]

    process = Process(slot.pid, steps=slot.steps)
    for raised in slot.exceptions:
        if raised.time:
            process.exceptions.append(
                Raised(
                    raised.type.decode(),
                    raised.message.decode(),
                    raised.causes.decode().splitlines(),
                    raised.thread.decode(),
                    bool(raised.in_main_thread),
                    frames(raised.frames[: raised.frame_count]),
                )
            )
    for note in sorted((note for note in slot.notes if note.time), key=lambda note: note.time):
        process.notes.append((NOTE_KINDS[note.kind], note.text.decode(), note.a, note.b))
    if slot.exit.time:
        process.exit = (EXIT_KINDS[slot.exit.kind], slot.exit.status)
        process.exit_frames = frames(slot.exit.stack)
    for step in sorted((step for step in slot.steps.ring if step.time), key=lambda s: s.number):
        process.losses.append(step.loss if step.has_loss else None)
    return process


def read(path: Path) -> list[Process]:
    """Every process that left a record, in the order of their slots."""
    box = path.read_bytes()
    slots = [box[2 * PAGE + i * SLOT_SPACE :][:SLOT_SPACE] for i in range(SLOTS)]
    return [process for process in map(_process, slots) if process.pid]
