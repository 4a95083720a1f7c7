"""Epochs and validation of Lightning and of Hugging Face's Trainer; their steps are torch's."""

from _holdfast_agent import epoch, seen
from hooks.own_code import attributes
from hooks.validation import validated

_NO_RESULTS = ("_runtime", "_per_second", "_time")


class _State:
    __slots__ = ("epoch", "measured", "step")

    def __init__(self):
        self.epoch = 0  # the last one that began, from 1
        self.measured = {}  # by the validations at one step: there may be several sets of data
        self.step = None


_state = _State()


def install(module):
    """Wraps what these trainers call at every epoch and after every validation."""
    for name, method, report in (
        ("CallbackHandler", "on_train_begin", _face_begins),
        ("CallbackHandler", "on_epoch_begin", _face_epoch),
        ("CallbackHandler", "on_evaluate", _face_validated),
        ("_FitLoop", "on_advance_start", _lightning_epoch),
        ("FitLoop", "on_advance_start", _lightning_epoch),  # before 2.0
        ("_LoggerConnector", "log_eval_end_metrics", _lightning_validated),
        ("LoggerConnector", "log_eval_end_metrics", _lightning_validated),
    ):
        kind = vars(module).get(name)
        # A class under two names would be wrapped twice.
        if isinstance(kind, type) and kind.__name__ == name and method in vars(kind):
            setattr(kind, method, seen(vars(kind)[method], report))


def _face_begins(_, __=None, state=None, *___):
    """A run that is resumed begins in the middle. Later `state.epoch` is of no use: if batches are
    accumulated, it may stay below the whole number when an epoch ends."""
    passed = attributes(state).get("epoch")
    _state.epoch = int(passed) if type(passed) in (int, float) else 0
    _state.step = None


def _face_epoch(*_):
    _state.epoch += 1
    epoch(_state.epoch)


def _face_validated(_, __=None, state=None, ___=None, measured=None, *____):
    """Not of a model that was never trained: then the state has no epoch, or it is 0."""
    known = attributes(state)
    if not known.get("epoch") or not _state.epoch or not isinstance(measured, dict):
        return
    if _state.step != known.get("global_step"):
        _state.step = known.get("global_step")
        _state.measured = {}
    for name, value in list(measured.items()):
        if type(name) is str and not name.endswith(_NO_RESULTS):
            _state.measured[name] = value
    validated(_state.measured, _state.epoch, "eval_")


def _lightning_epoch(loop, *_):
    passed = attributes(attributes(attributes(loop).get("epoch_progress")).get("current"))
    if type(passed.get("processed")) is int:
        _state.epoch = passed["processed"] + 1
        epoch(_state.epoch)


def _lightning_validated(connector, measured=None, *_):
    """Only in fit(), and not for the batches by which it first checks that validation works."""
    state = attributes(attributes(attributes(connector).get("trainer")).get("state"))
    if _word(state.get("fn")) != "fit" or _word(state.get("stage")) != "validate":
        return
    if _state.epoch and isinstance(measured, dict):
        validated(measured, _state.epoch)


def _word(member):
    """Of an enum; comparing Lightning's runs code of theirs."""
    return attributes(member).get("_value_")
