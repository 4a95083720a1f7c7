"""The measured programs: how they are started, how long they run, what they may cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "programs"


@dataclass(frozen=True)
class Program:
    name: str  # as the tables show it
    file: str
    loops: int  # about two seconds of CPU without any tool
    budget: float | None  # CPU the agent may add, as a fraction
    arguments: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    counted: int = 0  # loops under callgrind, which is some fifty times slower; 0: not counted
    peers: bool = True

    def command(self, loops: int) -> list[str]:
        return [str(FOLDER / self.file), "--loops", str(loops), *self.arguments]


TORCH, CHURN, NONE = 0.01, 0.03, 0.0

PROGRAMS = (
    Program("torch training, small ops", "torch_train.py", 2500, TORCH,
            needs=("torch",), counted=400),
    # One loop takes callgrind three minutes: it emulates fused multiplications one by one.
    Program("torch training, large ops", "torch_train.py", 24, TORCH,
            ("--width", "1024", "--batch", "256"), ("torch",), 1),
    Program("Python objects", "objects.py", 500, CHURN, counted=100),
    Program("NumPy, arrays of 10 KB", "numpy_churn.py", 50_000, CHURN,
            ("--bytes", "10000"), ("numpy",), 10_000),
    Program("NumPy, arrays of 10 MB", "numpy_churn.py", 40, CHURN,
            ("--bytes", "10000000"), ("numpy",), 10),
    Program("pandas concat, groupby, merge", "pandas_churn.py", 200, CHURN,
            needs=("numpy", "pandas"), counted=40),
    Program("calls without allocations", "calls.py", 3000, NONE, counted=600),
    Program("churn of 4 MiB blocks", "churn.py", 400, CHURN, needs=("numpy",), counted=60),
)  # fmt: skip

STORMS = (
    Program("/bin/true", "storm.py", 5000, None, peers=False),
    Program("forks of a Python process", "storm.py", 5000, None, ("--fork", "1"), peers=False),
)
