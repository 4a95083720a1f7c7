"""Steps of torch optimizers: every framework on torch ends in one."""

import sys

from _holdfast_agent import note, seen
from hooks.brink import at_boundary
from hooks.cuda_memory import figures
from hooks.steps import count, scalar

_FRAMEWORK = 7
_GPU_EVERY = 8
# Programs with several optimizers (GANs) count the steps of one, the leader: the first seen, until
# another steps three times while it rests.
_PATIENCE = 3


class _State:
    # An object and slots: to write to a class is to throw away what Python knows of it.
    __slots__ = ("leader", "loss", "others", "steps")

    def __init__(self):
        self.leader = None  # id of the optimizer
        self.others = None  # id -> steps while the leader rested
        self.loss = None
        self.steps = 0


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
    if register is not None:
        register(_after_step)
    _keep_from_compiler()
    torch.autograd.backward = seen(torch.autograd.backward, _before_backward)
    note(_FRAMEWORK, "torch " + str(torch.__version__))
    return None


def _keep_from_compiler():
    """torch.compile looks at every frame below a compiled function, and would compile ours."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame")
    for function in (
        _before_backward,
        _after_step,
        _becomes_leader,
        at_boundary,
        count,
        scalar,
        figures,
    ):
        code = function.__code__
        if hasattr(frames, "set_code_exec_strategy"):
            skip = frames._FrameAction.SKIP
            frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))
        elif hasattr(frames, "skip_code"):  # torch before 2.7
            frames.skip_code(code)


def _before_backward(tensors=None, *_):
    loss = tensors[0] if isinstance(tensors, (tuple, list)) and tensors else tensors
    _state.loss = scalar(loss)


def _after_step(optimizer, args, kwargs):
    who = id(optimizer)
    if who == _state.leader:
        _state.others = None
    elif not _becomes_leader(who):
        return
    loss, _state.loss = _state.loss, None
    allocated, reserved = figures() if _state.steps % _GPU_EVERY == 0 else (-1, -1)
    _state.steps += 1
    count("torch optimizer", loss, allocated, reserved)
    at_boundary()


def _becomes_leader(who):
    if _state.leader is not None:
        others = _state.others = _state.others or {}
        others[who] = others.get(who, 0) + 1
        if others[who] < _PATIENCE:
            return False
    _state.leader = who
    _state.others = None
    return True
