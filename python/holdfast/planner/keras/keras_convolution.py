"""The library calls that a Keras convolution makes, by which their workspaces are looked up."""

from holdfast.planner.exchange.numbers import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
)
from holdfast.planner.keras.keras_trace import Call

_DTYPES = {"float32": FLOAT32, "float16": FLOAT16, "bfloat16": BFLOAT16, "float64": FLOAT64}


def conv_facts(call: Call, forward: bool) -> list[tuple[int, ...]]:
    """The integers of each call of cuDNN; none for other layers."""
    layer = call.layer
    if "Conv" not in call.kind or "LSTM" in call.kind or not hasattr(layer, "kernel_size"):
        return []
    dims = len(layer.kernel_size)
    last = layer.data_format == "channels_last"
    shapes = [call.inputs[0].shape, call.outputs[0].shape]
    if dims > 3 or any(len(shape) != dims + 2 for shape in shapes):
        return []
    (inputs, into), (outputs, out) = ((s[-1], s[1:-1]) if last else (s[1], s[2:]) for s in shapes)
    alone = "Depthwise" in call.kind or "Separable" in call.kind
    groups = inputs if alone else int(getattr(layer, "groups", 1))
    kernel, stride = tuple(layer.kernel_size), tuple(layer.strides)
    spread = tuple(layer.dilation_rate)
    same = layer.padding == "same"
    padding = tuple(d * (k - 1) // 2 if same else 0 for k, d in zip(kernel, spread, strict=True))
    rest = (*into, *out, *kernel, *stride, *padding, *spread)
    directions = (FORWARD,) if forward else (INPUT_GRADIENT, WEIGHT_GRADIENT)
    dtype = _DTYPES.get(call.outputs[0].dtype, 0)
    transposed = int("Transpose" in call.kind)
    head = (dtype, int(last), transposed, groups, dims, call.inputs[0].shape[0], inputs, outputs)
    return [(way, *head, *rest) for way in directions]
