"""Makes one library call on a real GPU, from the integers of its fact, and measures it."""

import time
from collections.abc import Callable
from math import prod
from typing import Any

import torch

aten = torch.ops.aten
_DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


class CannotCall(ValueError):
    """This call cannot be made here."""


def requested() -> int:
    """Bytes that programs have asked for and not given back."""
    return int(torch.cuda.memory_stats()["requested_bytes.all.current"])


def peak_requested() -> int:
    """The most of it since the last reset."""
    return int(torch.cuda.memory_stats()["requested_bytes.all.peak"])


def scratch_of(call: Callable[[], Any]) -> int:
    """What a call takes and gives back, in addition to what it returns.

    If cuDNN's first plan finds no room, torch silently takes the next one. Other processes measure
    on this GPU at the same time, so a refused call is repeated once they have moved on.
    """
    for wait in (0.0, 0.2, 1.0, 5.0):
        if wait:
            torch.cuda.empty_cache()
            time.sleep(wait)
        torch.cuda.reset_peak_memory_stats()
        before = _refusals()
        result = call()
        after, peak = requested(), peak_requested()
        del result
        if _refusals() == before:
            return peak - after
    raise CannotCall("the GPU was too full")


def _refusals() -> int:
    """How often the allocator found no room, also when torch hid it."""
    return int(torch.cuda.memory_stats()["num_ooms"])


def measure(name: str, values: list[int], limit: int) -> list[int]:
    """The sizes that belong behind the "=" in a table."""
    if name == "conv":
        return _conv(values, limit)
    if name == "rnn_reserve":
        return _rnn(values, limit)[0]
    if name == "rnn_work":
        return _rnn(values[1:], limit)[1]  # the same for backward, by cuDNN's own query
    raise CannotCall("not a call that is known")


def _conv(values: list[int], limit: int) -> list[int]:
    direction, dtype, last, transposed, groups, dims, batch, inputs, outputs = values[:9]
    sizes = [values[9 + i * dims : 9 + (i + 1) * dims] for i in range(6)]
    image, result, kernel, stride, padding, dilation = sizes
    kind = _DTYPES[dtype]
    element = torch.empty(0, dtype=kind).element_size()
    if 3 * element * batch * (inputs * prod(image) + outputs * prod(result)) > limit:
        raise CannotCall("its tensors are too large")
    extra = [0] * dims
    if transposed:
        shape = [inputs, outputs // groups, *kernel]
        for d in range(dims):
            natural = (image[d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel[d] - 1)
            extra[d] = result[d] - natural - 1
    else:
        shape = [outputs, inputs // groups, *kernel]
    layout = torch.channels_last if dims == 2 else torch.channels_last_3d
    form = layout if last and dims > 1 else torch.contiguous_format

    def tensor(*extents: int) -> torch.Tensor:
        return torch.zeros(*extents, dtype=kind, device="cuda").to(memory_format=form)

    x, weight = tensor(batch, inputs, *image), tensor(*shape)
    rest = (stride, padding, dilation, bool(transposed), extra, groups)
    if direction == 0:
        return [scratch_of(lambda: aten.convolution(x, weight, None, *rest))]
    gradient = tensor(batch, outputs, *result)
    mask = [direction == 1, direction == 2, False]
    return [scratch_of(lambda: aten.convolution_backward(gradient, x, weight, None, *rest, mask))]


def _rnn(values: list[int], limit: int) -> tuple[list[int], list[int]]:
    """(reserve, workspace)"""
    mode, dtype, batch, steps, inputs, hidden, layers, ways = values
    kind = _DTYPES[dtype]
    if 64 * batch * steps * hidden * layers * ways > limit:
        raise CannotCall("its tensors are too large")
    module = (torch.nn.RNN, torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU)[mode]
    named = {"nonlinearity": "relu"} if mode == 0 else {}
    layer = module(inputs, hidden, layers, bidirectional=ways == 2, **named).to("cuda", kind)
    layer.flatten_parameters()
    weights = layer._flat_weights
    flat = weights[0].detach().as_strided((sum(w.numel() for w in weights),), (1,), 0)
    x = torch.zeros(steps, batch, inputs, dtype=kind, device="cuda")
    state = torch.zeros(layers * ways, batch, hidden, dtype=kind, device="cuda")
    cell = state.clone() if mode == 2 else None
    rest: tuple[Any, ...] = (mode, hidden, 0, layers, False, 0.0, True, ways == 2, [], None)
    outs: list[Any] = []

    def forward() -> Any:
        outs[:] = [aten._cudnn_rnn(x, weights, 4, flat, state, cell, *rest)]
        return None

    with torch.no_grad():
        work = scratch_of(forward)
    reserve = outs[0][3]
    return [reserve.numel() * reserve.element_size()], [work]
