"""Opens files and never closes them."""

from pathlib import Path

kept = []
while True:
    kept.append(Path("/dev/null").open())  # noqa: SIM115
