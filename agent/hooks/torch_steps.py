"""Steps of torch optimizers: every framework on torch uses one."""

import sys

from _holdfast_agent import backward, crossing, note, seen, step
from hooks.brink import error_about
from hooks.cuda_memory import figures
from hooks.numbers import NOTE_FRAMEWORK, STEPS_OF_TORCH
from hooks.steps import rank_of, ranked, scalar
from hooks.torch_numbers import value_of

_RANK = rank_of(STEPS_OF_TORCH)
_GPU_EVERY = 8
# Programs with several optimizers (GANs) count the steps of one, the leader: the first seen, until
# another one steps three times while the leader rests.
_PATIENCE = 3
# So many calls of backward() may lead to one step. After more the steps are out of sight, because
# the optimizer is compiled, and each call counts as one: a program that goes on must be seen to.
_ACCUMULATED = 64


class _State:
    # An object with slots: writing to a class discards Python's caches for that class.
    __slots__ = ("backwards", "leader", "loss", "others", "steps", "tensor")

    def __init__(self):
        self.backwards = 0  # since the last step
        self.leader = None  # id of the optimizer
        self.others = None  # id -> steps while the leader rested
        self.loss = None
        self.steps = 0
        self.tensor = None  # torch's class


_state = _State()


def install(module):
    """Uses the hook that torch offers for all optimizers, and reads the loss in backward()."""
    if module.__name__ != "torch.optim":
        return None
    optimizer = sys.modules["torch.optim.optimizer"]
    torch = sys.modules["torch"]
    if getattr(getattr(torch, "__spec__", None), "_initializing", False):
        return "later"
    _state.tensor = torch.Tensor
    # Not by torch's own function: the numbers that it hands out are seen by the program, and saved
    # with a module that has hooks.
    hooks = getattr(optimizer, "_global_optimizer_post_hooks", None)
    if hooks is not None:
        compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
        # Built in, so that profilers and debuggers see one frame of ours at most.
        told = seen(None, _after_step)
        hooks[-1] = told if compiling is None else _unless(compiling, told)
    _keep_from_compiler(torch)
    torch.autograd.backward = seen(torch.autograd.backward, _before_backward)
    note(NOTE_FRAMEWORK, "torch " + str(torch.__version__))
    return None


def _unless(compiling, told):
    """A compiled optimizer runs through all hooks, and torch gives it up, with a warning, for one
    that it cannot compile. While it compiles, this one is empty; such steps are not seen."""

    def after_step(optimizer, args, kwargs):
        if not compiling():
            told(optimizer, args, kwargs)

    return after_step


def _keep_from_compiler(torch):
    """torch.compile looks at every frame below a compiled function, and would compile ours."""
    # Not in sys.modules: torch before 2.7 does not put it there.
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    for function in (
        _before_backward,
        _after_step,
        _becomes_leader,
        error_about,
        scalar,
        value_of,
        figures,
    ):
        code = function.__code__
        if hasattr(frames, "set_code_exec_strategy"):
            skip = frames._FrameAction.SKIP
            frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))
        elif hasattr(frames, "skip_code"):  # torch before 2.7
            frames.skip_code(code)


# These two run once a step, and steps can be short: make no call that can be avoided.


def _before_backward(tensors=None, *_):
    backward()
    state = _state
    state.backwards += 1
    if type(tensors) is state.tensor:
        state.loss = value_of(tensors)
    else:
        loss = tensors[0] if isinstance(tensors, (tuple, list)) and tensors else tensors
        state.loss = scalar(loss)
    if state.backwards > _ACCUMULATED and state.steps and ranked[0] <= _RANK:
        step(state.loss, -1, -1, STEPS_OF_TORCH)


def _after_step(optimizer, args, kwargs):
    state = _state
    state.backwards = 0
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
        step(state.loss, allocated, reserved, STEPS_OF_TORCH)
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
