"""Runs the step on a real GPU and prints what was predicted against what was measured."""

import argparse
import json
import subprocess
import sys
from typing import Any

import torch

from holdfast._command import find


def measure(make: Any, batch: int, steps: int = 3) -> dict[str, int]:
    """The allocator's own peaks over three steps."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    step = make(batch)
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    free, total = torch.cuda.mem_get_info()
    return {
        "peak_requested_bytes": stats["requested_bytes.all.peak"],
        "peak_allocated_bytes": stats["allocated_bytes.all.peak"],
        "peak_reserved_bytes": stats["reserved_bytes.all.peak"],
        "context_bytes": total - free - torch.cuda.memory_reserved(),
    }


def main(words: list[str]) -> None:
    """holdfast fit --verify FILE.py:make --batch N"""
    from holdfast.planner.__main__ import load_target

    parser = argparse.ArgumentParser(prog="holdfast fit --verify")
    parser.add_argument("target")
    parser.add_argument("--batch", type=int, required=True)
    options = parser.parse_args(words)
    if not torch.cuda.is_available():
        sys.exit("holdfast: --verify runs the step on a GPU, and torch sees none here")
    device = torch.cuda.get_device_properties(0)
    # Another process: the prediction must not see the GPU, nor this one's memory.
    command = [find(), "fit", options.target, "--batch", str(options.batch), "--json"]
    command += ["--gpu", f"{device.total_memory}", "--no-largest", "--no-ways"]
    command += ["--python", sys.executable]
    predicted = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    measured = measure(load_target(options.target), options.batch)
    print(f"{'':16}{'predicted':>16}{'measured':>16}")
    for name, found in measured.items():
        told = predicted[name]
        label = name.removesuffix("_bytes").replace("_", " ")
        print(f"{label:16}{told:16,}{found:16,}  {100 * (told / max(1, found) - 1):+.2f} %")
