"""Reads a shard from a failing disk."""
# zoo end: disk-errors
# zoo documented: the kernel's line about a failing disk, and errno 5

with open("/data/shard-0012.bin", "rb") as file:
    data = file.read()  # guilty
