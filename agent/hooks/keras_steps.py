"""Steps and epochs of Keras 3, from its list of callbacks."""

from _holdfast_agent import epoch, seen
from hooks.cuda_memory import figures
from hooks.steps import count, scalar

_GPU_EVERY = 8
_steps = [0]


def install(module):
    """Before the methods that tell all callbacks."""
    kind = module.CallbackList
    kind.on_train_batch_end = seen(kind.on_train_batch_end, _batch)
    kind.on_epoch_begin = seen(kind.on_epoch_begin, _epoch)


def _batch(callbacks, batch=None, logs=None, *_):
    loss = logs.get("loss") if isinstance(logs, dict) else None
    _steps[0] += 1
    allocated, reserved = figures() if _steps[0] % _GPU_EVERY == 1 else (-1, -1)
    count("keras fit", scalar(loss), allocated, reserved)


def _epoch(callbacks, number=None, *_):
    if isinstance(number, int):
        epoch(number + 1)
