"""Operations whose fake version is missing or refuses what the GPU does: the shapes they return."""

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from holdfast.planner.pretend.recorder import StorageRecorder

aten = torch.ops.aten


def _in_place(_: StorageRecorder, __: Sequence[Any], ___: Any) -> None:
    """Fused optimizers write into their arguments."""


def _no(_: StorageRecorder, __: Sequence[Any], ___: Any) -> bool:
    return False


def _grouped_mm(_: StorageRecorder, args: Sequence[Any], kwargs: Any) -> torch.Tensor:
    """Matrix products of experts; torch computes other types than bfloat16 one by one."""
    a, b = args[0], args[1]
    offsets = args[2] if len(args) > 2 else kwargs.get("offs")
    if a.dim() == 2 and b.dim() == 3:
        shape: tuple[int, ...] = (a.shape[0], b.shape[2])
    elif a.dim() == 3 and b.dim() == 2:
        shape = (a.shape[1], b.shape[1])
    elif a.dim() == 2:
        shape = (offsets.shape[0], a.shape[0], b.shape[1])
    else:
        shape = (a.shape[0], a.shape[1], b.shape[2])
    return torch.empty(shape, dtype=kwargs.get("out_dtype") or a.dtype, device=a.device)


def _ctc(_: StorageRecorder, args: Sequence[Any], __: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss of every sample, and the table that backward reads."""
    log, targets = args[0], args[1]
    steps, batch = (log.shape[0], log.shape[1]) if log.dim() == 3 else (log.shape[0], 1)
    longest = targets.shape[1] if targets.dim() == 2 else targets.shape[0] // max(1, batch)
    loss = torch.empty(batch, dtype=log.dtype, device=log.device)
    return loss, torch.empty(batch, steps, 2 * longest + 1, dtype=log.dtype, device=log.device)


def _ctc_backward(_: StorageRecorder, args: Sequence[Any], __: Any) -> torch.Tensor:
    return torch.empty_like(args[1], memory_format=torch.contiguous_format)


def _packed(_: StorageRecorder, args: Sequence[Any], __: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Sequences without their padding; the lengths are on the CPU, so they are known."""
    x, lengths, batch_first = args
    with unset_fake_temporarily():
        longest = int(lengths[0])
        sizes = (lengths.unsqueeze(0) > torch.arange(longest).unsqueeze(1)).sum(1)
        total = int(lengths.sum())
    del batch_first
    return torch.empty(total, *x.shape[2:], dtype=x.dtype, device=x.device), sizes


def _packed_backward(_: StorageRecorder, args: Sequence[Any], __: Any) -> torch.Tensor:
    gradient, shape = args[0], args[1]
    return torch.empty(list(shape), dtype=gradient.dtype, device=gradient.device)


def special() -> dict[Any, Any]:
    """By operation, for those that this torch has."""
    found: dict[Any, Any] = {}
    for name, overloads, stand_in in (
        ("_fused_sgd_", ("default", "tensor_lr"), _in_place),
        ("_fused_adagrad_", ("default", "tensor_lr"), _in_place),
        ("_grouped_mm", ("default",), _grouped_mm),
        ("_use_cudnn_ctc_loss", ("default", "Tensor"), _no),
        ("_use_miopen_ctc_loss", ("default", "Tensor"), _no),
        ("_ctc_loss", ("default", "Tensor"), _ctc),
        ("_ctc_loss_backward", ("default", "Tensor"), _ctc_backward),
        ("_pack_padded_sequence", ("default",), _packed),
        ("_pack_padded_sequence_backward", ("default",), _packed_backward),
    ):
        packet = getattr(aten, name, None)
        for overload in overloads:
            if hasattr(packet, overload):
                found[getattr(packet, overload)] = stand_in
    return found
