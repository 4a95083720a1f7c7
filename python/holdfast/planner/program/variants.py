"""The program with one change, to see what the change would save: it really runs, nothing is
guessed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from holdfast.planner.exchange.requests import NotPossible

Make = Callable[[int], Callable[[], Any]]


def apply(way: str, make: Make) -> Make:
    """The same program with the change of that name; "" is no change."""
    if way == "":
        return make
    if way.startswith("accumulate-"):
        return _accumulated(make, int(way.removeprefix("accumulate-")))
    if way in _CHANGES:
        return _within(_CHANGES[way], make)
    raise NotPossible(f"there is no way {way!r}")


def _within(change: Callable[[], Any], make: Make) -> Make:
    def changed(batch: int) -> Callable[[], Any]:
        stack = ExitStack()
        noticed = stack.enter_context(change())
        step = make(batch)

        def one_step() -> None:
            step()
            if noticed is not None and not noticed:
                raise NotPossible("it would change nothing in the program")

        one_step.close = stack.close  # type: ignore[attr-defined]
        return one_step

    return changed


def _accumulated(make: Make, parts: int) -> Make:
    def changed(batch: int) -> Callable[[], Any]:
        if batch % parts:
            raise NotPossible(f"the batch does not divide by {parts}")
        stack = ExitStack()
        last = [False]
        stepped, zeroed = Optimizer.step, Optimizer.zero_grad
        step = make(batch // parts)
        originals: dict[type, Any] = {}

        def patch(kind: type) -> None:
            original = kind.step  # type: ignore[attr-defined]
            originals[kind] = original

            def only_last(self: Any, *args: Any, **kwargs: Any) -> Any:
                return original(self, *args, **kwargs) if last[0] else None

            kind.step = only_last  # type: ignore[attr-defined]
            stack.callback(setattr, kind, "step", original)

        for kind in _subclasses(Optimizer):
            if "step" in vars(kind):
                patch(kind)

        def zero(self: Any, *args: Any, **kwargs: Any) -> None:
            if last[0]:
                zeroed(self, *args, **kwargs)

        Optimizer.zero_grad = zero  # type: ignore[method-assign]
        stack.callback(setattr, Optimizer, "zero_grad", zeroed)
        del stepped

        def one_step() -> None:
            for part in range(parts):
                last[0] = part == parts - 1
                step()

        one_step.close = stack.close  # type: ignore[attr-defined]
        return one_step

    return changed


def _subclasses(kind: type) -> Iterator[type]:
    children: list[type] = kind.__subclasses__()
    for child in children:
        yield child
        yield from _subclasses(child)


@contextmanager
def _bf16() -> Iterator[list[bool]]:
    """The outermost forward of any module runs under autocast."""
    from torch.nn.modules import module as hooks

    if torch.is_autocast_enabled("cuda"):
        raise NotPossible("it already runs under autocast")
    noticed: list[bool] = []
    contexts: list[Any] = []

    def before(_: nn.Module, __: Any) -> None:
        if not contexts and torch.is_autocast_enabled("cuda"):
            raise NotPossible("it already runs under autocast")
        if not contexts:
            noticed.append(True)
            context = torch.autocast("cuda", dtype=torch.bfloat16)
            context.__enter__()
            contexts.append(context)
        else:
            contexts.append(None)

    def after(*_: Any) -> None:
        if contexts:
            context = contexts.pop()
            if context is not None:
                context.__exit__(None, None, None)

    handles = [
        hooks.register_module_forward_pre_hook(before),
        hooks.register_module_forward_hook(after, always_call=True),
    ]
    try:
        yield noticed
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _checkpoint() -> Iterator[list[bool]]:
    """Modules in a row of two or more of a kind are recomputed in backward."""
    from torch.utils.checkpoint import checkpoint

    noticed: list[bool] = []
    known: dict[int, bool] = {}
    inside = [0]
    original = nn.Module.__call__

    def learn(module: nn.Module) -> None:
        for part in module.modules():
            known.setdefault(id(part), False)
            if isinstance(part, (nn.ModuleList, nn.Sequential)):
                kinds: dict[type, list[nn.Module]] = {}
                for child in part:
                    kinds.setdefault(type(child), []).append(child)
                for kind, children in kinds.items():
                    if len(children) > 1 and any(True for _ in children[0].children()):
                        known.update({id(child): True for child in children})
                    del kind

    def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if id(self) not in known:
            learn(self)
        if inside[0] or not known[id(self)] or not torch.is_grad_enabled():
            return original(self, *args, **kwargs)
        noticed.append(True)

        def run(*inner: Any, **named: Any) -> Any:
            inside[0] += 1
            try:
                return original(self, *inner, **named)
            finally:
                inside[0] -= 1

        return checkpoint(run, *args, use_reentrant=False, preserve_rng_state=False, **kwargs)

    nn.Module.__call__ = call  # type: ignore[method-assign]
    try:
        yield noticed
    finally:
        nn.Module.__call__ = original  # type: ignore[method-assign]


@contextmanager
def _optimizer_argument(**arguments: Any) -> Iterator[list[bool]]:
    """Adam, AdamW, SGD and Adagrad are made with these arguments."""
    noticed: list[bool] = []
    kinds = (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad)
    with ExitStack() as stack:
        for kind in kinds:
            original = kind.__init__

            def made(self: Any, *args: Any, _original: Any = original, **kwargs: Any) -> None:
                noticed.append(True)
                if kwargs.get("fused"):
                    raise NotPossible("the optimizer is already fused")
                kwargs.update(arguments)
                kwargs.pop("foreach", None)
                _original(self, *args, **kwargs)

            kind.__init__ = made  # type: ignore[misc,method-assign]
            stack.callback(setattr, kind, "__init__", original)
        yield noticed


@contextmanager
def _set_to_none() -> Iterator[list[bool]]:
    noticed: list[bool] = []
    original = Optimizer.zero_grad
    of_module = nn.Module.zero_grad

    def zero(self: Any, set_to_none: bool = True) -> None:
        if not set_to_none:
            noticed.append(True)
        original(self, set_to_none=True)

    def zero_module(self: Any, set_to_none: bool = True) -> None:
        if not set_to_none:
            noticed.append(True)
        of_module(self, set_to_none=True)

    Optimizer.zero_grad = zero  # type: ignore[method-assign]
    nn.Module.zero_grad = zero_module  # type: ignore[method-assign]
    try:
        yield noticed
    finally:
        Optimizer.zero_grad = original  # type: ignore[method-assign]
        nn.Module.zero_grad = of_module  # type: ignore[method-assign]


class _Adam8bit(Optimizer):
    """The memory of an 8-bit Adam: two bytes of state per element, and a scale for every 256."""

    _BLOCK, _LEAST = 256, 4096  # smaller parameters keep 32-bit state

    def __init__(self, params: Any, *_: Any, **__: Any) -> None:
        super().__init__(params, {})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    small = parameter.numel() < self._LEAST
                    for name in ("exp_avg", "exp_avg_sq"):
                        dtype = torch.float32 if small else torch.uint8
                        state[name] = torch.zeros_like(parameter, dtype=dtype)
                        if not small:
                            blocks = -(-parameter.numel() // self._BLOCK)
                            state[name + "_scale"] = torch.zeros(blocks, device=parameter.device)
                parameter.add_(parameter.grad, alpha=0.0)


@contextmanager
def _replace_adam(substitute: type, **defaults: Any) -> Iterator[list[bool]]:
    noticed: list[bool] = []

    def made(params: Any, *args: Any, **kwargs: Any) -> Any:
        noticed.append(True)
        return substitute(params, **defaults)

    originals = {name: getattr(torch.optim, name) for name in ("Adam", "AdamW")}
    for name in originals:
        setattr(torch.optim, name, made)
    try:
        yield noticed
    finally:
        for name, original in originals.items():
            setattr(torch.optim, name, original)


_CHANGES: dict[str, Callable[[], Any]] = {
    "bf16": _bf16,
    "checkpoint": _checkpoint,
    "fused": lambda: _optimizer_argument(fused=True),
    "set-to-none": _set_to_none,
    "adam-8bit": lambda: _replace_adam(_Adam8bit),
    "sgd": lambda: _replace_adam(torch.optim.SGD, lr=1e-3),
}
