"""Fetches every row of a table into one list; the table was written a block at a time."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 300M

import sqlite3


def measurements(count):
    for number in range(count):
        yield number + 1000, number * 0.5, f"sensor {number % 800} of hall {number % 7}"


base = sqlite3.connect("measurements.db")
base.execute("create table if not exists taken (id integer, value real, place text)")
with base:
    base.executemany("insert into taken values (?, ?, ?)", measurements(2_500_000))
print("written", base.execute("select count(*) from taken").fetchone())

rows = base.execute("select id, value, place from taken").fetchall()  # guilty
print(len(rows))
