"""Runs the step on a real GPU and prints what was predicted against what was measured."""

import argparse
import json
import subprocess
import sys
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from holdfast._command import find
from holdfast.planner.program.target import load_target


def run_steps(step: Any, steps: int = 3, most: int = 24) -> None:
    """Until the optimizer has stepped this often.

    A new GradScaler skips its first steps, until its scale is small enough, and the optimizer makes
    its state in the first that is not skipped.
    """
    updates = 0

    def count(*_: Any) -> None:
        nonlocal updates
        updates += 1

    hook = register_optimizer_step_post_hook(count)
    try:
        for run in range(1, most + 1):
            step()
            if run >= steps and updates >= steps:
                break
    finally:
        hook.remove()


def measure(make: Any, batch: int) -> dict[str, int]:
    """The allocator's own peaks over three steps."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    run_steps(make(batch))
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
    parser = argparse.ArgumentParser(prog="holdfast fit --verify")
    parser.add_argument("target")
    parser.add_argument("--batch", type=int, required=True)
    options = parser.parse_args(words)
    if not torch.cuda.is_available():
        sys.exit("holdfast: --verify runs the step on a GPU, and torch sees none here")
    device = torch.cuda.get_device_properties(0)
    # In another process: the prediction must see neither the GPU nor this process's memory.
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
