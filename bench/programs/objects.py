"""Parses, keeps and drops records: dicts, lists, strings and objects, only small allocations."""

from __future__ import annotations

from collections import deque

import loop


class Record:
    def __init__(self, key: str, fields: dict[str, object], tags: list[str]) -> None:
        self.key = key
        self.fields = fields
        self.tags = tags


window: deque[list[Record]] = deque(maxlen=20)
turn = 0


def batch() -> None:
    global turn
    records = []
    for i in range(turn, turn + 1000):
        line = f"user-{i},{i * 7 % 1000},{i * 0.5},red green blue"
        key, count, price, tags = line.split(",")
        fields = {"count": int(count), "price": float(price), "line": line}
        records.append(Record(key, fields, tags.split(" ")))
    by_key = {record.key: record for record in records}
    totals = [(record.fields["count"], key) for key, record in by_key.items()]
    totals.sort()
    window.append(records)
    turn += 1000


loop.measure(batch, loop.options().loops)
