"""What each kind of Keras layer leaves in memory for backward.

A rule knows the layer's class and its tensors' shapes. Backends differ. On torch Keras copies
images into torch's order of dimensions, and every result is in memory; on TensorFlow, too, until
its last use. JAX' compiler fuses elementwise operations into their neighbours, so only some results
are ever in memory.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from holdfast.planner.keras.keras_trace import WIDTH, Call, Tensor

# Activations whose backward needs the result; all others need the input.
_FROM_RESULT = {"relu", "tanh", "sigmoid", "softmax", "log_softmax", "elu", "exponential"}
# XLA computes cheap activations again where they are needed, and keeps the results of these.
_COSTLY = {"gelu", "silu", "swish", "tanh", "sigmoid", "softmax", "elu", "exponential", "mish"}
_VIEWS = {"InputLayer", "Flatten", "Reshape", "Permute", "Identity", "ActivityRegularization"}
_SUMS = {"Add", "Subtract", "Average"}
_PRODUCTS = {"Multiply", "Dot", "Maximum", "Minimum"}
_POOLS = ("MaxPooling", "AveragePooling", "AdaptiveMaxPooling", "AdaptiveAveragePooling")
_NORMS = (
    "BatchNormalization",
    "LayerNormalization",
    "GroupNormalization",
    "RMSNormalization",
    "UnitNormalization",
    "SpectralNormalization",
)
_GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1, "RNN": 4}
_ALIKE = ("Dropout", "GaussianNoise", "GaussianDropout")


@dataclass(frozen=True)
class Cost:
    """What a call keeps and how it runs."""

    keeps_input: bool = False
    keeps_output: bool = False
    kept: int = 0  # bytes that backward needs besides those
    work: int = 0  # bytes that are freed when the layer is done
    back: int = 0  # the same, in its backward
    view: bool = False  # the output is the input
    passes: bool = False  # the gradient of the output is also the input's
    product: bool = False  # a convolution or a matrix product: its inputs are in memory
    reads_twice: bool = False  # reductions over what they then use


def width(dtype: str) -> int:
    """Bytes an element."""
    return WIDTH.get(dtype, 4)


def is_float(tensor: Tensor) -> bool:
    """Whether gradients flow through it."""
    return "float" in tensor.dtype


def largest(tensors: tuple[Tensor, ...]) -> int:
    """The bytes of the largest."""
    return max((tensor.bytes for tensor in tensors if is_float(tensor)), default=0)


def activation_of(layer: Any) -> str:
    """The name of a layer's own activation; linear where it has none."""
    found = getattr(layer, "activation", None)
    return str(getattr(found, "__name__", "linear") if found is not None else "linear")


def _activated(call: Call, cost: Cost, backend: str) -> Cost:
    """A product with an activation behind it."""
    name = activation_of(call.layer)
    out = largest(call.outputs)
    if name == "linear":
        return cost
    if backend == "jax":  # backward reads the inputs, and results that were costly to compute
        return replace(cost, kept=cost.kept + out * (1 + (name in _COSTLY)), back=out)
    if name in _FROM_RESULT:
        return replace(cost, keeps_output=True, work=cost.work + out, back=out)
    composed = backend == "tensorflow" and name in _COSTLY
    return replace(cost, kept=cost.kept + out * (1 + composed), back=out)


def _activation(call: Call, backend: str) -> Cost:
    """An activation that is a layer."""
    name = activation_of(call.layer) if call.kind == "Activation" else call.kind.lower()
    if name == "linear":
        return Cost(view=True, passes=True)
    costly = largest(call.outputs) if name in _COSTLY and backend != "torch" else 0
    if backend == "jax":
        return Cost(keeps_input=True, kept=costly, reads_twice=name == "softmax")
    capped = call.kind == "ReLU" and getattr(call.layer, "max_value", None) is not None
    if name in _FROM_RESULT and not capped:
        return Cost(keeps_output=True)
    return Cost(keeps_input=True, kept=costly)


def _product(call: Call, backend: str) -> Cost:
    """Dense layers and convolutions."""
    out, into = largest(call.outputs), largest(call.inputs)
    cost = Cost(keeps_input=True, product=True)
    if call.kind.startswith("SeparableConv"):
        cost = replace(cost, kept=out)
    if backend != "torch" and getattr(call.layer, "use_bias", True):
        # The product and its sum with the bias were both seen to stay (bench/fit --keras).
        cost = replace(cost, kept=cost.kept + out)
    if backend == "torch" and "Conv" in call.kind and call.layer.data_format == "channels_last":
        # Keras copies into torch's order of dimensions, and torch copies into cuDNN's.
        weights = sum(math.prod(v.shape) for v in call.layer.trainable_variables)
        copied = into + weights * width(call.outputs[0].dtype)
        cost = replace(cost, keeps_input=False, kept=cost.kept + copied, work=into)
    return _activated(call, cost, backend)


def _attention(call: Call, backend: str) -> Cost:
    """Products of queries and keys, if no kernel avoids them; projections are separate calls."""
    layer = call.layer
    heads = int(getattr(layer, "num_heads", 0) or getattr(layer, "num_query_heads", 0) or 1)
    queries = call.inputs[0].shape
    keys = (call.inputs[1] if len(call.inputs) > 1 else call.inputs[0]).shape
    if len(queries) < 3 or len(keys) < 3:
        return Cost(passes=True, view=True)
    each = width(call.outputs[0].dtype)
    if backend == "torch":  # the kernel's own copies of queries, keys and values, and its result
        depth = heads * int(getattr(call.layer, "_value_dim", 0) or 0)
        rows = math.prod(queries[:-1]) + math.prod(keys[:-1])
        return Cost(kept=2 * rows * depth * each, view=True, passes=True)
    scores = queries[0] * heads * queries[1] * keys[1] * each
    return Cost(kept=2 * scores, work=scores, view=True, passes=True)


def cost_of(call: Call, backend: str) -> Cost:
    """The rule for a call."""
    eager = backend == "torch"
    kind, out, into = call.kind, largest(call.outputs), largest(call.inputs)
    if kind in _VIEWS or (not is_float(call.outputs[0])):
        return Cost(view=kind in _VIEWS, passes=True)
    if "Attention" in kind:
        return _attention(call, backend)
    if kind in _GATES or kind.startswith("ConvLSTM"):
        units = int(getattr(call.layer, "units", 0) or getattr(call.layer, "state_size", [0])[0])
        steps = math.prod(call.inputs[0].shape[:2])
        each = width(call.outputs[0].dtype) * steps * units
        gates = _GATES.get(kind, 4)
        # cuDNN keeps gates, cell and hidden state; a scan also what lies between them.
        kept = each * (gates + 2) if eager else each * (2 * gates + 2)
        return Cost(True, True, kept, work=kept, product=True)
    if kind in ("Dense", "EinsumDense") or "Conv" in kind:
        return _product(call, backend)
    if kind == "Embedding":
        return Cost(keeps_input=True, product=True)
    if kind in _NORMS:
        if not eager:
            return Cost(True, reads_twice=True, back=2 * out)
        # It computes in float32 whatever the policy is; batches are normalized step by step.
        wide = 4 * call.outputs[0].elements
        half = width(call.outputs[0].dtype) == 2
        copies = half + (kind == "BatchNormalization")
        return Cost(keeps_input=not half, kept=copies * wide, work=wide)
    if kind in ("Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax"):
        return _activation(call, backend)
    if kind.endswith(_ALIKE) or "Dropout" in kind:
        if not getattr(call.layer, "rate", 1):
            return Cost(view=True, passes=True)
        return Cost(kept=out) if eager else Cost(kept=call.outputs[0].elements)
    if kind in _SUMS:
        return Cost(passes=True)
    if kind in _PRODUCTS:
        return Cost(keeps_input=True)
    if kind.startswith(_POOLS):
        if eager:  # a copy in torch's order of dimensions; the largest one's place is an int64
            places = 8 * call.outputs[0].elements if "Max" in kind else 0
            return Cost(kept=into + places)
        return Cost(True, "Max" in kind, reads_twice=True)
    if kind.startswith("Global"):
        return Cost(reads_twice=True)
    if kind in ("Rescaling", "Normalization", "ZeroPadding2D", "Cropping2D", "Concatenate"):
        return Cost()
    # An unknown layer, with weights or without: it keeps its inputs.
    return Cost(keeps_input=True, reads_twice=True)
