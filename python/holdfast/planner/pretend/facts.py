"""What an operation needs besides its results, as facts: the library call, never its bytes.

The bytes depend on the GPU and the library versions; the replay knows those. A fact is a number for
its kind and a list of integers; src/fit/capture/capture_format.h gives each list's meaning.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from holdfast.planner.exchange.numbers import (
    BFLOAT16,
    CONV,
    EMBEDDING_BACKWARD,
    FIXED,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORWARD,
    GEMM,
    INPUT_GRADIENT,
    REDUCE,
    WEIGHT_GRADIENT,
)

if TYPE_CHECKING:
    from holdfast.planner.pretend.recorder import StorageRecorder

aten = torch.ops.aten


DTYPES = {
    torch.float32: FLOAT32,
    torch.float16: FLOAT16,
    torch.bfloat16: BFLOAT16,
    torch.float64: FLOAT64,
}


def dtype_code(tensor: torch.Tensor) -> int:
    """The number of a dtype in facts; anything unusual counts as float32's."""
    return DTYPES.get(tensor.dtype, 0)


def is_channels_last(tensor: torch.Tensor) -> bool:
    """Whether a 4-D or 5-D tensor lies in memory channels last."""
    if tensor.dim() == 4:
        return tensor.is_contiguous(memory_format=torch.channels_last) and not (
            tensor.is_contiguous()
        )
    if tensor.dim() == 5:
        return tensor.is_contiguous(memory_format=torch.channels_last_3d) and not (
            tensor.is_contiguous()
        )
    return False


def _gemm(recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any) -> None:
    recorder.scratch(GEMM, (recorder.thread(), 0))


def _gemm_bias(
    recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any
) -> None:
    # A one-dimensional bias goes through cuBLASLt, which has its own workspace.
    recorder.scratch(GEMM, (recorder.thread(), int(args[0].dim() == 1)))


def conv_values(
    direction: int,
    x: torch.Tensor,
    weight: torch.Tensor,
    y: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    transposed: bool,
) -> tuple[int, ...]:
    """The integers of a CONV fact: one convolution call of cuDNN."""
    dims = x.dim() - 2
    last = is_channels_last(x) or is_channels_last(weight)

    def per_dim(values: Sequence[int]) -> list[int]:
        return list(values) if len(values) == dims else list(values[:1]) * dims

    return (
        direction,
        dtype_code(x),
        int(last),
        int(transposed),
        groups,
        dims,
        x.shape[0],
        x.shape[1],
        y.shape[1],
        *x.shape[2:],
        *y.shape[2:],
        *weight.shape[2:],
        *per_dim(stride),
        *per_dim(padding),
        *per_dim(dilation),
    )


def _conv(recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], out: Any) -> None:
    x, weight, _bias, stride, padding, dilation, transposed, _output_padding, groups = args[:9]
    values = conv_values(FORWARD, x, weight, out, stride, padding, dilation, groups, transposed)
    recorder.scratch(CONV, values)


def _conv_backward(
    recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], out: Any
) -> None:
    gradient, x, weight, _bias, stride, padding, dilation, transposed, _out, groups, mask = args[
        :11
    ]
    rest = (x, weight, gradient, stride, padding, dilation, groups, transposed)
    # One after the other: the second result does not exist while the first is computed.
    if mask[0]:
        recorder._track(out[0])
        recorder.scratch(CONV, conv_values(INPUT_GRADIENT, *rest))
    if mask[1]:
        recorder._track(out[1])
        recorder.scratch(CONV, conv_values(WEIGHT_GRADIENT, *rest))
    if mask[2]:
        recorder._track(out[2])
        reduce_fact(recorder, gradient, [d for d in range(gradient.dim()) if d != 1])


def reduce_fact(
    recorder: "StorageRecorder", x: torch.Tensor, dims: Sequence[int] | None, accumulate: int = 4
) -> None:
    """A reduction may need scratch when it splits one output over several blocks."""
    if x.numel() == 0:
        return
    rank = x.dim()
    reduced = {d % rank for d in dims} if dims else set(range(rank))
    values = [accumulate, x.element_size()]
    for d in range(rank):
        values += [x.shape[d], x.stride(d), int(d in reduced)]
    recorder.scratch(REDUCE, tuple(values))


def _reduce(recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any) -> None:
    x = args[0]
    if isinstance(x, torch.Tensor) and recorder.on_gpu(x):
        dims = args[1] if len(args) > 1 and isinstance(args[1], (list, tuple)) else None
        reduce_fact(recorder, x, dims)


def _norm(recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any) -> None:
    if recorder.on_gpu(args[0]):
        reduce_fact(recorder, args[0], args[2] if len(args) > 2 else None)


def _embedding(
    recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any
) -> None:
    recorder.scratch(EMBEDDING_BACKWARD, (args[1].numel(), args[1].element_size()))


def _efficient_backward(
    recorder: "StorageRecorder", args: Sequence[Any], _: dict[str, Any], __: Any
) -> None:
    # The row sums of gradient times output. For float32 this is one C++ expression, whose product,
    # sums and transposed sums all live until its end.
    query, value = args[1], args[3]
    batch, heads, rows = query.shape[:3]
    sums = 4 * batch * heads * rows
    if query.dtype == torch.float32:
        recorder.scratch(FIXED, (sums * value.shape[3], sums, sums))
    else:
        recorder.scratch(FIXED, (sums,))


# The order in which a kernel makes its results, if it is not the order of the results. Results that
# are left out live on the CPU, or the fact itself says them.
BIRTHS: dict[Any, tuple[int, ...]] = {
    aten.native_dropout.default: (1, 0),
    aten._scaled_dot_product_efficient_attention.default: (0, 1),
    aten.convolution_backward.default: (),
}

TABLE: dict[Any, Callable[["StorageRecorder", Sequence[Any], dict[str, Any], Any], None]] = {
    aten.mm.default: _gemm,
    aten.bmm.default: _gemm,
    aten.baddbmm.default: _gemm,
    aten.addmv.default: _gemm,
    aten.mv.default: _gemm,
    aten.mm.out: _gemm,
    aten.bmm.out: _gemm,
    aten.addmm.out: _gemm,
    aten.addmm.default: _gemm_bias,
    aten._addmm_activation.default: _gemm_bias,
    aten.convolution.default: _conv,
    aten.convolution_backward.default: _conv_backward,
    aten.sum.dim_IntList: _reduce,
    aten.sum.default: _reduce,
    aten.mean.dim: _reduce,
    aten.mean.default: _reduce,
    aten.amax.default: _reduce,
    aten.linalg_vector_norm.default: _norm,
    aten.embedding_dense_backward.default: _embedding,
    aten._scaled_dot_product_efficient_attention_backward.default: _efficient_backward,
}
