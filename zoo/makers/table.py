"""Writes a CSV table of random numbers: table.py FILE ROWS COLUMNS."""

import random
import sys

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(0)
block = [",".join(f"{random.random():.4f}" for _ in range(columns)) for _ in range(100)]
with open(path, "w") as file:
    file.write(",".join(f"c{i}" for i in range(columns)) + "\n")
    for row in range(rows):
        file.write(block[row % len(block)] + "\n")
