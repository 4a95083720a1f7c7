"""Results go into SQLite on a small disk."""
# zoo end: disk-full
# zoo disk: 4M

import os
import sqlite3

db = sqlite3.connect(os.path.join(os.environ["ZOO_DIR"], "disk", "runs.db"))
db.execute("create table metrics (step integer, payload blob)")
for step in range(100_000):
    db.execute("insert into metrics values (?, ?)", (step, os.urandom(10_000)))  # guilty
    db.commit()  # guilty
