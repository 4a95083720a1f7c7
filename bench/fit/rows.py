"""The measured configurations as functions that `holdfast fit` can plan."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from holdfast.planner.capture.capture import mark


def load_definitions(truth: Path) -> Any:
    """Loads measure_gpu_memory.py beside the rows, which defines every measured model."""
    spec = importlib.util.spec_from_file_location("truth", truth / "measure_gpu_memory.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["truth"] = module
    spec.loader.exec_module(module)
    return module


def read(path: Path) -> list[dict[str, Any]]:
    """One JSON object per line."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def maker(definitions: Any, row: dict[str, Any]) -> Callable[[int], Callable[[], Any]]:
    """The loop of measure(), one iteration a step."""
    build = definitions.MODELS[row["model"]][0]
    precision, parts = row["precision"], row.get("accumulate", 1)
    kind = {"amp_bf16": torch.bfloat16, "amp_fp16": torch.float16}.get(precision)

    def make(batch: int) -> Callable[[], Any]:
        model, make_batch = build()
        model = model.to("cuda").train()
        optimizer = definitions.OPT[row["optimizer"]](model.parameters())
        mark("model")
        scaler = torch.amp.GradScaler("cuda") if precision == "amp_fp16" else None

        def step() -> None:
            for part in range(parts):
                loss_of = make_batch(batch, "cuda")
                with torch.autocast("cuda", dtype=kind, enabled=kind is not None):
                    loss = loss_of(model) / parts
                if part == 0:
                    mark("forward")
                (scaler.scale(loss) if scaler else loss).backward()
                mark("backward")
                del loss, loss_of
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            mark("stepped")
            optimizer.zero_grad(set_to_none=True)

        return step

    return make
