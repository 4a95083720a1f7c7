"""Values of small tensors on the pretended GPU, if they follow from the program alone.

A mask of ones is all ones without a GPU, too, and programs branch on that (`if mask.all()`) or
shape their data by it (`x[mask]`). If a value is unknown, the plan assumes the most memory that it
can take, and says so.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._pytree import tree_leaves, tree_map_only

aten = torch.ops.aten
_LIMIT = 1 << 18  # elements: the masks and positions of a batch of sequences
_VALUE = "_holdfast_value"
_KEPT_TYPES = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)

# These need no tensor with a value. Zeros are left out: states and gradients begin as zeros, and
# would be carried along for nothing.
_FACTORIES = {
    aten.ones.default,
    aten.full.default,
    aten.arange.default,
    aten.arange.start,
    aten.arange.start_step,
    aten.new_ones.default,
    aten.new_full.default,
    aten.ones_like.default,
    aten.full_like.default,
    aten.tril_indices.default,
    aten.triu_indices.default,
}
_RANDOM = torch.Tag.nondeterministic_seeded


def value_of(tensor: Any) -> torch.Tensor | None:
    """The tensor on the CPU with the same values, if there is one."""
    value = tensor.__dict__.get(_VALUE) if type(tensor) is FakeTensor else None
    if value is None or getattr(value, "_stale", False):
        return None
    return value  # type: ignore[no-any-return]


def upload(tensor: torch.Tensor, pretended: torch.Tensor) -> None:
    """A real tensor was copied to the pretended GPU."""
    if tensor.numel() <= _LIMIT and tensor.dtype in _KEPT_TYPES:
        with unset_fake_temporarily():
            pretended.__dict__[_VALUE] = tensor.detach().to(pretended.dtype, copy=True)


class Values:
    """Carries values along with the operations of one capture."""

    def __init__(self) -> None:
        self._storages: dict[int, list[torch.Tensor]] = {}

    def follow(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """After an operation: its result may have a value, or a value may have become unknown."""
        if func in _FACTORIES:
            if type(out) is FakeTensor and out.device.type == "cuda" and out.numel() <= _LIMIT:
                self._compute(func, args, kwargs, out)
            return
        first = args[0] if args else None
        if type(first) is FakeTensor:
            known = _VALUE in first.__dict__
        else:
            known = isinstance(first, (list, tuple)) and any(
                type(item) is FakeTensor and _VALUE in item.__dict__ for item in first
            )
        if func._schema.is_mutable:
            self._written(func, args, kwargs, out)
        elif known and _RANDOM not in func.tags:
            self._compute(func, args, kwargs, out)

    def _compute(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        results = [leaf for leaf in tree_leaves(out) if isinstance(leaf, torch.Tensor)]
        if not results or any(result.numel() > _LIMIT for result in results):
            return
        made = evaluate(func, args, kwargs)
        if made is None:
            return
        for result, value in zip(results, tree_leaves(made), strict=False):
            if isinstance(value, torch.Tensor) and type(result) is FakeTensor:
                if value.shape != result.shape:
                    return
                result.__dict__[_VALUE] = value
                self._storages.setdefault(value.untyped_storage()._cdata, []).append(value)

    def _written(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """An operation in place changes the values as well, or they are no longer known."""
        targets = [
            leaf
            for argument, declared in zip(args, func._schema.arguments, strict=False)
            if declared.alias_info is not None and declared.alias_info.is_write
            for leaf in (argument if isinstance(argument, (list, tuple)) else (argument,))
            if type(leaf) is FakeTensor and _VALUE in leaf.__dict__
        ]
        if not targets:
            return
        if _RANDOM not in func.tags and evaluate(func, args, kwargs) is not None:
            return
        for target in targets:
            value = target.__dict__[_VALUE]
            for alias in self._storages.get(value.untyped_storage()._cdata, [value]):
                alias._stale = True  # type: ignore[attr-defined]


def evaluate(func: Any, args: Any, kwargs: Any) -> Any:
    """The operation on the values of all its tensors; None if one of them has none."""
    unknown = []

    def value(tensor: torch.Tensor) -> torch.Tensor:
        if type(tensor) is not FakeTensor:
            return tensor
        known = value_of(tensor)
        if known is None:
            unknown.append(tensor)
            return tensor
        return known

    args, kwargs = tree_map_only(torch.Tensor, value, (args, kwargs))
    if unknown:
        return None
    if "device" in kwargs:
        kwargs = {**kwargs, "device": "cpu"}
    try:
        with unset_fake_temporarily(), torch.no_grad():
            return func(*args, **kwargs)
    except (RuntimeError, NotImplementedError, TypeError, IndexError):
        return None


# ---- results whose shape depends on values ------------------------------------------------------


def _on_gpu(real: torch.Tensor, device: torch.device) -> torch.Tensor:
    pretended = torch.empty(real.shape, dtype=real.dtype, device=device)
    upload(real, pretended)
    return pretended


def _most_nonzero(x: torch.Tensor) -> torch.Tensor:
    return torch.empty(x.numel(), x.dim(), dtype=torch.int64, device=x.device)


def _most_selected(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    count = max(x.numel(), mask.numel())
    return torch.empty(count, dtype=x.dtype, device=x.device)


def _most_unique(x: torch.Tensor, *rest: Any, **_: Any) -> tuple[torch.Tensor, ...]:
    whole = torch.empty(x.numel(), dtype=x.dtype, device=x.device)
    return (
        whole,
        torch.empty(x.shape, dtype=torch.int64, device=x.device),
        torch.empty(x.numel(), dtype=torch.int64, device=x.device),
    )


def _most_kept(boxes: torch.Tensor, *_: Any) -> torch.Tensor:
    return torch.empty(boxes.shape[0], dtype=torch.int64, device=boxes.device)


# By name, because torchvision's operation may be missing.
MOST: dict[str, Callable[..., Any]] = {
    "aten::nonzero": _most_nonzero,
    "aten::masked_select": _most_selected,
    "aten::_unique2": _most_unique,
    "aten::unique_consecutive": _most_unique,
    "torchvision::nms": _most_kept,
}


def shaped_by_value(func: Any, args: Any, kwargs: Any) -> tuple[Any, bool]:
    """(the result, whether its shape is exact): by value, else the largest possible."""
    device = args[0].device
    made = evaluate(func, args, kwargs)
    if made is not None:
        return tree_map_only(torch.Tensor, lambda real: _on_gpu(real, device), made), True
    return MOST[func.name()](*args, **kwargs), False
