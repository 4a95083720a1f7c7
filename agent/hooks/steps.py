"""Counts training steps, from the source that knows best."""

import _holdfast_agent
from hooks.numbers import STEPS_OF_KERAS, STEPS_OF_PROGRAM, STEPS_OF_SCIKIT_LEARN, STEPS_OF_TORCH
from hooks.torch_numbers import value_of

# A better source silences the others: a program that calls holdfast.step() knows its own steps,
# and Keras may run a torch optimizer below.
_RANK = {STEPS_OF_SCIKIT_LEARN: 1, STEPS_OF_TORCH: 2, STEPS_OF_KERAS: 3, STEPS_OF_PROGRAM: 4}
ranked = [0]  # the best source so far


def rank_of(source):
    return _RANK[source]


def count(source, loss=None, gpu_allocated=-1, gpu_reserved=-1):
    """Counts the step unless a better source has spoken."""
    rank = _RANK[source]
    if rank < ranked[0]:
        return
    ranked[0] = rank
    _holdfast_agent.step(loss, gpu_allocated, gpu_reserved, source)


def scalar(value):
    """A loss as a number if it is in host memory, else None: never waits for a GPU."""
    kind = type(value)
    if kind is float or kind is int:
        return value
    if kind.__module__ == "numpy":
        return float(value) if getattr(value, "ndim", 1) == 0 else None
    # A plain tensor only: fake and functional ones have no value to give.
    if kind.__module__ == "torch" and kind.__name__ == "Tensor":
        return value_of(value)
    # TensorFlow's eager tensors, which Keras hands to its list of callbacks as they are.
    if kind.__name__ == "EagerTensor" and "CPU" in value.device and value.shape.rank == 0:
        return float(value.numpy())
    return None


def step(loss):
    """What holdfast.step() calls."""
    value = scalar(loss)
    # Other numbers (Decimal, a float subclass) are for the agent to read; a number on a device is
    # not read at all.
    if value is None and not hasattr(loss, "device"):
        value = loss
    count(STEPS_OF_PROGRAM, value)
