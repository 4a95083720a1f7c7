"""The number that a torch tensor is, read where it lies: item() would be one more operation, which
profilers see, and modes that look at every operation."""

import sys

from _holdfast_agent import number_at

_kinds = {}  # torch's types of numbers -> bytes
_modes = []  # how many modes look at operations: functions of torch 2


def value_of(tensor):
    """Of a plain tensor without dimensions in host memory; None for all others."""
    if not _kinds:
        _prepare()
    for looking in _modes:
        if looking():
            return None
    if not tensor.is_cpu or tensor.ndim:
        return None
    size = _kinds.get(tensor.dtype)
    return None if size is None else number_at(tensor.data_ptr(), size)


def _prepare():
    torch = sys.modules["torch"]
    for name in ("_len_torch_function_stack", "_len_torch_dispatch_stack"):
        if hasattr(torch._C, name):
            _modes.append(getattr(torch._C, name))
    _kinds.update({torch.bfloat16: 2, torch.float32: 4, torch.float64: 8})
