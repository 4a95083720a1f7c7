"""Makes torch take its CUDA branches without a GPU, for as long as a capture lasts.

Without each of these stand-ins torch would fail or (worse) silently do something else than on a
GPU. All of them are removed at the end.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from holdfast.planner.exchange.device import Device
from holdfast.planner.pretend import kernels, recurrent, values
from holdfast.planner.pretend.attention import Attention
from holdfast.planner.pretend.autograd_engine import backward_without_gpu
from holdfast.planner.pretend.recorder import StorageRecorder

_MISSING = object()


def replace(stack: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Sets an attribute until the stack unwinds."""
    before = (
        vars(owner).get(name, _MISSING)
        if isinstance(owner, type)
        else getattr(owner, name, _MISSING)
    )
    setattr(owner, name, value)

    def restore() -> None:
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)

    stack.callback(restore)


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


class _Stream:
    """Enough of a stream or an event for code that only orders its work with it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cuda:0")
        self.cuda_stream = 0

    def __getattr__(self, name: str) -> Any:
        return _always(0.0 if name == "elapsed_time" else True if name == "query" else None)

    def __enter__(self) -> "_Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        pass


class _Generator(torch.Generator):
    """A GPU's generator cannot be made without a GPU; no number is ever drawn from this one."""

    def __new__(cls, *_: Any, **__: Any) -> "_Generator":
        return super().__new__(cls, device="cpu")  # type: ignore[no-any-return]


def cuda_module(stack: ExitStack, device: Device) -> None:
    """What programs ask torch.cuda before they use it."""
    stream = _Stream()
    answers: dict[str, Any] = {
        "is_available": _always(True),
        "is_initialized": _always(True),
        "_lazy_init": _always(None),
        "init": _always(None),
        "device_count": _always(1),
        "current_device": _always(0),
        "set_device": _always(None),
        "get_device_name": _always(device.name),
        "get_device_capability": _always(device.capability),
        "get_device_properties": lambda *_, **__: device.properties(),
        "get_arch_list": _always([f"sm_{device.major}{device.minor}"]),
        "is_bf16_supported": _always(device.major >= 8),
        "synchronize": _always(None),
        "empty_cache": _always(None),
        "ipc_collect": _always(None),
        "mem_get_info": _always((device.total_memory, device.total_memory)),
        "memory_allocated": _always(0),
        "max_memory_allocated": _always(0),
        "memory_reserved": _always(0),
        "max_memory_reserved": _always(0),
        "memory_stats": lambda *_, **__: {},
        "memory_summary": _always(""),
        "reset_peak_memory_stats": _always(None),
        "reset_max_memory_allocated": _always(None),
        "set_per_process_memory_fraction": _always(None),
        "manual_seed": _always(None),
        "manual_seed_all": _always(None),
        "seed": _always(None),
        "seed_all": _always(None),
        "initial_seed": _always(0),
        "get_rng_state": lambda *_, **__: torch.empty(16, dtype=torch.uint8),
        "get_rng_state_all": lambda *_, **__: [torch.empty(16, dtype=torch.uint8)],
        "set_rng_state": _always(None),
        "set_rng_state_all": _always(None),
        "current_stream": _always(stream),
        "default_stream": _always(stream),
        "stream": lambda *_, **__: contextlib.nullcontext(),
        "set_stream": _always(None),
        "Stream": _Stream,
        "Event": _Stream,
        "is_current_stream_capturing": _always(False),
    }
    for name, answer in answers.items():
        if hasattr(torch.cuda, name):
            replace(stack, torch.cuda, name, answer)
    for name in (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_stats",
        "reset_peak_memory_stats",
        "empty_cache",
    ):
        replace(stack, torch.cuda.memory, name, answers[name])
    replace(stack, torch.cuda.amp.common, "amp_definitely_not_available", _always(False))
    if hasattr(torch._C, "_cuda_getDevice"):
        replace(stack, torch._C, "_cuda_getDevice", _always(0))
    for name in ("_cuda_isCurrentStreamCapturing",):
        if hasattr(torch._C, name):
            replace(stack, torch._C, name, _always(False))
    replace(stack, torch, "Generator", _Generator)
    replace(stack, torch.backends.cudnn, "version", _always(device.cudnn))
    replace(stack, torch.backends.cudnn, "is_available", _always(True))


def keras_device(stack: ExitStack) -> None:
    """Keras chose its device at its import, perhaps before the pretended GPU was there."""
    core = sys.modules.get("keras.src.backend.torch.core")
    if core is not None:
        replace(stack, core, "DEFAULT_DEVICE", "cuda")


def _foreach(stack: ExitStack) -> None:
    """Without this, optimizers leave the foreach path, because type(p) is not a plain tensor."""
    import torch.optim.optimizer as optimizer
    import torch.utils._foreach_utils as utils

    for module in (optimizer, utils):
        kinds = getattr(module, "_foreach_supported_types", None)
        if kinds is not None and FakeTensor not in kinds:
            replace(stack, module, "_foreach_supported_types", [*kinds, FakeTensor])


def _apply_in_place(self: nn.Module, fn: Callable[..., Any], recurse: bool = True) -> nn.Module:
    """Module._apply: the same order, children first, and the parameters stay the same objects."""
    if recurse:
        for child in self.children():
            child._apply(fn)
    for key, parameter in self._parameters.items():
        if parameter is not None:
            with torch.no_grad():
                moved = fn(parameter)
            if moved is not parameter:
                self._parameters[key] = _moved(parameter, moved)
    for key, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[key] = fn(buffer)
    return self


def _moved(parameter: nn.Parameter, moved: torch.Tensor) -> nn.Parameter:
    if type(parameter) is not FakeTensor and not isinstance(parameter, FakeTensor):
        # Real until now. Swapping keeps the object, for optimizers and ties that hold it.
        fresh = nn.Parameter(moved, parameter.requires_grad)
        try:
            torch.utils.swap_tensors(parameter, fresh)
        except RuntimeError:
            return fresh
        return parameter
    parameter.data = moved
    parameter.fake_device = moved.device  # type: ignore[attr-defined]
    return parameter


def _rnn_apply(original: Any) -> Any:
    def apply(self: nn.RNNBase, fn: Callable[..., Any], recurse: bool = True) -> nn.Module:
        result = _apply_in_place(self, fn, recurse)
        self._flat_weights = [
            getattr(self, name) if hasattr(self, name) else None
            for name in self._flat_weights_names
        ]
        self.flatten_parameters()
        return result

    return apply


def _deepcopy(self: torch.Tensor, memo: dict[int, Any]) -> torch.Tensor:
    """FakeTensor's own __deepcopy__ gives each view of a copy its own storage."""
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    with torch.no_grad():
        copy = self.detach().clone()
    if isinstance(self, nn.Parameter):
        copy = nn.Parameter(copy, self.requires_grad)
    memo[id(self)] = copy
    return copy


def _read_out(stack: ExitStack, recorder: StorageRecorder) -> None:
    """Metrics and logs read values of tensors that have none: they get zeros of the right shape."""

    def read(tensor: torch.Tensor) -> torch.Tensor:
        known = values.value_of(tensor)
        recorder.note_made_up(known is None and tensor.device.type == "cpu")
        with fake_tensor.unset_fake_temporarily():
            return torch.zeros(tensor.shape, dtype=tensor.dtype) if known is None else known

    replace(stack, FakeTensor, "numpy", lambda self, **_: read(self).numpy())
    replace(stack, FakeTensor, "__array__", lambda self, *_, **__: read(self).numpy())
    replace(stack, FakeTensor, "tolist", lambda self: read(self).tolist())


def _compile(stack: ExitStack, recorder: StorageRecorder) -> None:
    """Compiled code cannot be followed; the original can."""

    def unchanged(model: Any = None, **_: Any) -> Any:
        text = "torch.compile is ignored: a compiled step may need less, or other workspaces"
        if text not in recorder.missing:
            recorder.missing.append(text)
        return (lambda function: function) if model is None else model

    replace(stack, torch, "compile", unchanged)
    replace(stack, nn.Module, "compile", lambda self, *_, **__: (unchanged(self), None)[1])


def _transformers(stack: ExitStack) -> None:
    """When transformers sees fake tensors, it builds other masks, as for torch.export."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        before = vars(module).get("is_fake_tensor") if name.startswith("transformers.") else None
        if before is not None and before is not _not_fake:
            replace(stack, module, "is_fake_tensor", _not_fake)


def _not_fake(*_: Any) -> bool:
    return False


@contextmanager
def pretended(recorder: StorageRecorder, device: Device) -> Iterator[FakeTensorMode]:
    """Inside, the program runs on a pretended GPU and the recorder sees all of it."""
    with ExitStack() as stack:
        stack.enter_context(backward_without_gpu())
        # Before is_available() says yes: the mode then replaces the driver by a harmless guard.
        mode = stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        replace(stack, fake_tensor, "init_gpu_context", _always(None))
        cuda_module(stack, device)
        keras_device(stack)
        _foreach(stack)
        _read_out(stack, recorder)
        _compile(stack, recorder)
        # Again for every new model, because programs import transformers late.
        recorder.at_new_model = lambda: _transformers(stack)
        attention = Attention(device, F.scaled_dot_product_attention)
        replace(stack, F, "scaled_dot_product_attention", attention)
        replace(stack, torch._C._nn, "scaled_dot_product_attention", attention)
        linear = F.linear

        def linear_in_place(*args: Any, **kwargs: Any) -> Any:
            with recorder.linear():
                return linear(*args, **kwargs)

        replace(stack, F, "linear", linear_in_place)
        replace(stack, torch._C._nn, "linear", linear_in_place)
        replace(stack, FakeTensor, "__deepcopy__", _deepcopy)
        replace(stack, nn.Module, "_apply", _apply_in_place)
        replace(stack, nn.RNNBase, "_apply", _rnn_apply(nn.RNNBase._apply))
        replace(stack, nn.RNNBase, "flatten_parameters", recurrent.flatten_parameters)
        for name, function in recurrent.functions().items():
            replace(stack, torch._VF, name, function)
        recorder.special.update(recurrent.SPECIAL)
        recorder.special.update(kernels.special())
        stack.enter_context(recorder)
        recorder.learn_alone()
        yield mode
