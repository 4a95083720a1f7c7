"""Steps of torch optimizers: every framework on torch uses one."""

import sys

from _holdfast_agent import backward, crossing, note, seen, step
from hooks.brink import error_about
from hooks.cuda_memory import figures
from hooks.numbers import NOTE_FRAMEWORK
from hooks.steps import rank_of, ranked, scalar

_SOURCE = "torch optimizer"
_RANK = rank_of(_SOURCE)
_GPU_EVERY = 8
# Programs with several optimizers (GANs) count the steps of one, the leader: the first seen, until
# another steps three times while it rests.
_PATIENCE = 3


class _State:
    # An object and slots: to write to a class is to throw away what Python knows of it.
    __slots__ = ("leader", "loss", "others", "steps", "tensor")

    def __init__(self):
        self.leader = None  # id of the optimizer
        self.others = None  # id -> steps while the leader rested
        self.loss = None
        self.steps = 0
        self.tensor = None  # torch's class


_state = _State()


def install(module):
    """The hook that torch offers for all optimizers, and the loss as it passes backward()."""
    if module.__name__ != "torch.optim":
        return None
    register = getattr(
        sys.modules["torch.optim.optimizer"], "register_optimizer_step_post_hook", None
    )
    torch = sys.modules["torch"]
    if not hasattr(torch, "__version__") or not hasattr(torch, "autograd"):
        return "later"
    _state.tensor = torch.Tensor
    if register is not None:
        register(_after_step)
    _keep_from_compiler()
    torch.autograd.backward = seen(torch.autograd.backward, _before_backward)
    note(NOTE_FRAMEWORK, "torch " + str(torch.__version__))
    return None


def _keep_from_compiler():
    """torch.compile looks at every frame below a compiled function, and would compile ours."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame")
    for function in (
        _before_backward,
        _after_step,
        _becomes_leader,
        error_about,
        scalar,
        figures,
    ):
        code = function.__code__
        if hasattr(frames, "set_code_exec_strategy"):
            skip = frames._FrameAction.SKIP
            frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))
        elif hasattr(frames, "skip_code"):  # torch before 2.7
            frames.skip_code(code)


# These two run once a step, and steps can be short: no call that can be spared.


def _before_backward(tensors=None, *_):
    backward()
    if type(tensors) is _state.tensor:
        _state.loss = tensors.item() if tensors.is_cpu and tensors.ndim == 0 else None
        return
    loss = tensors[0] if isinstance(tensors, (tuple, list)) and tensors else tensors
    _state.loss = scalar(loss)


def _after_step(optimizer, args, kwargs):
    state = _state
    who = id(optimizer)
    if who == state.leader:
        state.others = None
    elif not _becomes_leader(who):
        return
    if state.steps % _GPU_EVERY:
        allocated = reserved = -1
    else:
        allocated, reserved = figures()
    state.steps += 1
    if ranked[0] <= _RANK:
        ranked[0] = _RANK
        step(state.loss, allocated, reserved, _SOURCE)
    state.loss = None
    if crossing():
        raise error_about("steps")


def _becomes_leader(who):
    if _state.leader is not None:
        others = _state.others = _state.others or {}
        others[who] = others.get(who, 0) + 1
        if others[who] < _PATIENCE:
            return False
    _state.leader = who
    _state.others = None
    return True
