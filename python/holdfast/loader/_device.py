"""Batches on a GPU: the arena is pinned once, and a slot is kept until its copy is done."""

from __future__ import annotations

import collections
from typing import Any

from holdfast.loader._library import LoaderError


class Device:
    """Copies batches without waiting, and holds each until its copy is done."""

    def __init__(self, device: str, feed: Any, facts: dict[str, Any], budget: int):
        import torch

        self._torch = torch
        self._device = torch.device(device)
        if self._device.type != "cuda":
            raise LoaderError(f'device is "cuda" or "cuda:0", not {device!r}')
        if not torch.cuda.is_available():
            raise LoaderError("torch sees no GPU here")
        self._base: int = facts["base"]
        self._slots: int = facts["slots"]
        answer = torch.cuda.cudart().cudaHostRegister(self._base, budget, 0)
        if int(answer) != 0:
            raise LoaderError(
                f"the GPU's driver refused to pin the budget (CUDA error {int(answer)})"
            )
        self._copying: collections.deque[tuple[Any, Any]] = collections.deque()

    def moved(self, batch: Any) -> Any:
        """The batch on the device; the copy may still run."""
        there = self._each(batch)
        event = self._torch.cuda.Event()
        event.record(self._torch.cuda.current_stream(self._device))
        self._copying.append((event, batch))
        return there

    def _each(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(self._each(one) for one in value)
        if isinstance(value, dict):
            return {key: self._each(one) for key, one in value.items()}
        if not isinstance(value, self._torch.Tensor):
            value = self._torch.as_tensor(value)
        return value.to(self._device, non_blocking=True)

    def collect(self) -> None:
        """Releases batches whose copies are done; if all slots are out, waits for the oldest."""
        if len(self._copying) >= self._slots - 1:
            self._copying[0][0].synchronize()
        while self._copying and self._copying[0][0].query():
            self._copying.popleft()

    def close(self) -> None:
        """Waits for the last copies, because they read from memory that is about to go."""
        while self._copying:
            self._copying.popleft()[0].synchronize()
        self._torch.cuda.cudart().cudaHostUnregister(self._base)
