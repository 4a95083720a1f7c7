"""Writes a capture: every storage's birth and death in order, as docs/fit.md specifies the file."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

from holdfast.planner.exchange.numbers import (
    ALLOC,
    ALLOC_BY_FACT,
    CAPTURE_MAGIC,
    CAPTURE_VERSION,
    FREE,
    MARK,
)


def _varint(value: int, out: bytearray) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _signed(value: int, out: bytearray) -> None:
    _varint(value << 1 if value >= 0 else (-value << 1) - 1, out)


def encode(header: dict[str, Any], events: list[tuple[Any, ...]], roles: dict[int, int]) -> bytes:
    """The bytes of a capture file. Storages are numbered by birth; a death names the distance."""
    body = bytearray()
    text = json.dumps(header, separators=(",", ":")).encode()
    _varint(len(text), body)
    body += text
    births = 0
    number: dict[int, int] = {}
    dying: list[int] = []

    def bury() -> None:
        # Deaths with nothing between them are sorted by birth: the order of some is a hash table's,
        # and captures at two batch sizes must look alike. The allocator does not depend on it.
        for birth in sorted(dying):
            body.append(FREE)
            _varint(births - birth, body)
        dying.clear()

    for event in events:
        kind = event[0]
        if kind == FREE:
            if event[1] in number:
                dying.append(number.pop(event[1]))
            continue
        bury()
        body.append(kind)
        if kind == ALLOC:
            _, key, size, site = event
            number[key] = births
            births += 1
            _varint(site, body)
            body.append(roles.get(key, 0))
            _varint(size, body)
        elif kind == MARK:
            _varint(event[1], body)
        else:
            _, key, site, fact, values = event
            _varint(site, body)
            if kind == ALLOC_BY_FACT:
                number[key] = births
                births += 1
                body.append(roles.get(key, 0))
            body.append(fact)
            _varint(len(values), body)
            for value in values:
                _signed(value, body)
    bury()
    return CAPTURE_MAGIC + struct.pack("<HI", CAPTURE_VERSION, zlib.crc32(body)) + bytes(body)


def write(
    path: Path, header: dict[str, Any], events: list[tuple[Any, ...]], roles: dict[int, int]
) -> None:
    """Writes the file in one go; a reader never sees half of it under this name."""
    draft = path.with_suffix(".part")
    draft.write_bytes(encode(header, events, roles))
    draft.replace(path)
