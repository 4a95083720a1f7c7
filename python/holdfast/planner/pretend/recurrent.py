"""LSTM, GRU and plain recurrent layers as cuDNN runs them, for a GPU that is not there."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from holdfast.planner.exchange.numbers import RNN_RESERVE, RNN_WORK, WORKSPACE
from holdfast.planner.pretend import facts
from holdfast.planner.pretend.recorder import StorageRecorder

aten = torch.ops.aten
RELU, TANH, LSTM, GRU = range(4)


def functions() -> dict[str, Any]:
    """Replacements for functions of torch._VF, which use the device in C++."""

    def lstm(*arguments: Any) -> Any:
        return _layers(LSTM, *arguments)

    def gru(*arguments: Any) -> Any:
        return _layers(GRU, *arguments)

    def tanh(*arguments: Any) -> Any:
        return _layers(TANH, *arguments)

    def relu(*arguments: Any) -> Any:
        return _layers(RELU, *arguments)

    return {"lstm": lstm, "gru": gru, "rnn_tanh": tanh, "rnn_relu": relu}


def _layers(mode: int, *arguments: Any) -> Any:
    """Both forms: whole sequences, and packed ones with their batch sizes."""
    if isinstance(arguments[2 if mode != LSTM else 1], torch.Tensor):
        whole: tuple[Any, ...] = (arguments[0], *arguments[2:], False)
        return _run(mode, arguments[1].tolist(), *whole)
    return _run(mode, [], *arguments)


def _run(
    mode: int,
    sizes: list[int],
    x: torch.Tensor,
    state: Any,
    weights: Sequence[torch.Tensor],
    biases: bool,
    layers: int,
    dropout: float,
    train: bool,
    both_ways: bool,
    batch_first: bool,
) -> Any:
    hidden, cell = state if mode == LSTM else (state, None)
    size = hidden.shape[-1]
    if torch.is_autocast_enabled("cuda"):
        # For these layers autocast uses half even under bfloat16, in one flat buffer.
        x, hidden = x.to(torch.float16), hidden.to(torch.float16)
        cell = cell.to(torch.float16) if cell is not None else None
        weights = list(_FlatCast.apply(torch.float16, *weights))
    total = sum(weight.numel() for weight in weights)
    buffer = weights[0].detach().as_strided((total,), (1,), 0)
    with torch.autocast("cuda", enabled=False):
        out = aten._cudnn_rnn(
            x,
            list(weights),
            4 if biases else 2,
            buffer,
            hidden,
            cell,
            mode,
            size,
            0,
            layers,
            batch_first,
            dropout,
            train,
            both_ways,
            sizes,
            None,
        )
    return (out[0], out[1], out[2]) if mode == LSTM else (out[0], out[1])


class _FlatCast(torch.autograd.Function):
    """Casts all weights into one buffer, as the C++ code does."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *weights: torch.Tensor) -> Any:  # type: ignore[override]
        total = sum(weight.numel() for weight in weights)
        buffer = torch.empty(total, dtype=dtype, device=weights[0].device)
        parts, offset = [], 0
        for weight in weights:
            parts.append(buffer[offset : offset + weight.numel()].view(weight.shape))
            offset += weight.numel()
        return tuple(parts)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return (None, *(gradient.to(torch.float32) for gradient in gradients))


def flatten_parameters(self: nn.RNNBase) -> None:
    """In place of RNNBase.flatten_parameters: one buffer for all weights."""
    weights = self._flat_weights
    if not weights or weights[0] is None or weights[0].device.type != "cuda":
        return
    if len({weight.untyped_storage()._cdata for weight in weights}) == 1:
        return
    with torch.no_grad():
        total = sum(weight.numel() for weight in weights)
        buffer = torch.empty(total, dtype=weights[0].dtype, device=weights[0].device)
        offset = 0
        for weight in weights:
            weight.data = buffer[offset : offset + weight.numel()].view(weight.shape)
            offset += weight.numel()


def _facts(
    mode: int,
    x: torch.Tensor,
    sizes: list[int],
    batch_first: bool,
    size: int,
    layers: int,
    ways: int,
) -> Any:
    if sizes:
        batch, steps = sizes[0], len(sizes)
    else:
        batch, steps = (x.shape[0], x.shape[1]) if batch_first else (x.shape[1], x.shape[0])
    return (mode, facts.dtype_code(x), batch, steps, x.shape[-1], size, layers, ways)


def _workspace(recorder: StorageRecorder, x: torch.Tensor, values: tuple[int, ...]) -> torch.Tensor:
    """cuDNN's workspace, held as long as the result; it is the same for all three calls."""
    workspace = torch.empty(1, dtype=torch.uint8, device=x.device)
    recorder.allocate_by_fact(workspace, RNN_WORK, (0, *values))
    recorder.set_role(workspace, WORKSPACE)
    return workspace


def _time_first(recorder: StorageRecorder, x: torch.Tensor, batch_first: bool) -> torch.Tensor:
    """The copy that the kernel makes for itself."""
    if not batch_first:
        return x
    copy = x.transpose(0, 1).contiguous()
    recorder._track(copy)
    return copy


def forward(recorder: StorageRecorder, args: Sequence[Any], _: Any) -> Any:
    """aten._cudnn_rnn, with its allocations in their order."""
    x, _weights, _stride, buffer, hidden, cell, mode, size, _proj, layers, batch_first = args[:11]
    train, both_ways, sizes = args[12:15]
    ways = 2 if both_ways else 1
    values = _facts(mode, x, sizes, batch_first, size, layers, ways)
    copy = _time_first(recorder, x, batch_first)
    y = torch.empty(*copy.shape[:-1], size * ways, dtype=x.dtype, device=x.device)
    last = torch.empty_like(hidden)
    last_cell = torch.empty_like(cell) if cell is not None else torch.empty(0, device=x.device)
    for result in (y, last, last_cell):
        recorder._track(result)
    workspace = _workspace(recorder, x, values)
    reserve = torch.empty(1 if train else 0, dtype=torch.uint8, device=x.device)
    if train:
        recorder.allocate_by_fact(reserve, RNN_RESERVE, values)
    del workspace, copy
    if batch_first:
        y = y.transpose(0, 1)
    return y, last, last_cell, reserve, x.new_empty(0) if buffer is None else buffer


def backward(recorder: StorageRecorder, args: Sequence[Any], _: Any) -> Any:
    """aten._cudnn_rnn_backward, which has no fake version: the inputs' gradients, then the
    weights'."""
    x, weights, _stride, _buffer, hidden, cell, _out, gradient = args[:8]
    mode, size, _proj, layers, batch_first = args[10:15]
    both_ways, sizes = args[17], args[18]
    values = _facts(mode, x, sizes, batch_first, size, layers, 2 if both_ways else 1)
    copy = _time_first(recorder, x, batch_first)
    copy_gradient = None if gradient is None else _time_first(recorder, gradient, batch_first)
    dx = torch.empty(*copy.shape, dtype=x.dtype, device=x.device)
    d_hidden = torch.empty_like(hidden)
    d_cell = torch.empty_like(cell) if cell is not None else None
    for result in (dx, d_hidden, d_cell):
        recorder._track(result)
    workspace = _workspace(recorder, x, values)
    del workspace, copy, copy_gradient
    copy = _time_first(recorder, x, batch_first)
    total = sum(weight.numel() for weight in weights)
    flat = torch.empty(total, dtype=x.dtype, device=x.device)
    recorder._track(flat)
    workspace = _workspace(recorder, x, values)
    del workspace, copy
    gradients, offset = [], 0
    for weight in weights:
        gradients.append(flat[offset : offset + weight.numel()].view(weight.shape))
        offset += weight.numel()
    return dx.transpose(0, 1) if batch_first else dx, d_hidden, d_cell, gradients


SPECIAL = {
    aten._cudnn_rnn.default: forward,
    aten._cudnn_rnn_backward.default: backward,
}
