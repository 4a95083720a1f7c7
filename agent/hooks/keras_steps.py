"""Steps, epochs and validation of Keras 2 and 3 (tf.keras, tf_keras too), from their callbacks."""

from _holdfast_agent import epoch, note, seen
from hooks.cuda_memory import figures
from hooks.numbers import NOTE_FRAMEWORK, STEPS_OF_KERAS
from hooks.steps import count, scalar
from hooks.validation import validated

_GPU_EVERY = 8
_steps = [0]
_told = [False]  # whether the batch whose end is reported now has been counted already


def install(module):
    """Wraps the methods that call all callbacks."""
    kind = getattr(module, "CallbackList", None)
    # Packages re-export the class of another module: wrapping it twice would count twice.
    if getattr(kind, "__module__", None) != module.__name__:
        return
    kind.on_train_batch_end = seen(kind.on_train_batch_end, _batch)
    kind.on_epoch_begin = seen(kind.on_epoch_begin, _epoch)
    kind.on_epoch_end = seen(kind.on_epoch_end, _epoch_end)
    # In graph mode, Keras 2 does not call on_train_batch_end.
    if hasattr(kind, "_call_batch_hook"):
        kind._call_batch_hook = seen(kind._call_batch_hook, _batch_hook)
    # TensorFlow imports its own old copy of Keras even if the program trains without it.
    if not module.__name__.startswith("tensorflow."):
        note(NOTE_FRAMEWORK, "keras 2" if module.__name__.endswith(".callbacks") else "keras 3")


def _batch(callbacks, batch=None, logs=None, *_):
    _told[0] = getattr(callbacks, "_should_call_train_batch_hooks", False)
    _count(logs)


def _batch_hook(callbacks, mode=None, hook=None, batch=None, logs=None, *_):
    if mode != "train" or hook != "end":
        return
    if _told[0]:
        _told[0] = False
        return
    _count(logs)


def _count(logs):
    loss = logs.get("loss") if isinstance(logs, dict) else None
    _steps[0] += 1
    allocated, reserved = figures() if _steps[0] % _GPU_EVERY == 1 else (-1, -1)
    count(STEPS_OF_KERAS, scalar(loss), allocated, reserved)


def _epoch(callbacks, number=None, *_):
    if isinstance(number, int):
        epoch(number + 1)


def _epoch_end(callbacks, number=None, logs=None, *_):
    if isinstance(number, int) and isinstance(logs, dict):
        validated(logs, number + 1, "val_")
