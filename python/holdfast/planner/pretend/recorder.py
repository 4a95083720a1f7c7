"""Notes every storage's birth and death on the pretended GPU, in order, with who asked for it."""

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    UnsupportedOperatorException,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from holdfast.planner.exchange.numbers import ALLOC, ALLOC_BY_FACT, FREE, MARK, SCRATCH
from holdfast.planner.exchange.problem import is_users
from holdfast.planner.pretend import facts, values

aten = torch.ops.aten
_DEVICE_QUERY = torch.ops.prim.device.default
_ADD = aten.add.Tensor
_INDEX = aten.index.Tensor
_ITEM = aten._local_scalar_dense.default
# Tensors on the CPU with fewer elements are real: constructors and optimizers read them back.
_REAL_LIMIT = 1 << 14


class CannotPretend(RuntimeError):
    """The program does something that cannot be followed without a GPU."""

    told = True


class StorageRecorder(TorchDispatchMode):
    """Runs above FakeTensorMode; the program sees what it returns."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[Any, ...]] = []
        self.roles: dict[int, int] = {}
        self.marks: list[str] = []
        self.sites: list[tuple[str, str, int]] = []
        self.missing: list[str] = []
        self.special: dict[Any, Callable[..., Any]] = {}
        self.at_new_model: Callable[[], None] = lambda: None
        self.operations = 0
        self.host: dict[str, Any] | None = None  # the loaders' side, as facts
        self.recording = True
        self._site_numbers: dict[tuple[str, str, int], int] = {}
        self._alive: dict[int, tuple[Any, int]] = {}
        self._births = 0
        self._threads: dict[int, int] = {threading.get_ident(): 0}
        self._modules = threading.local()
        self._files: dict[str, bool] = {}
        self._read_back = False
        self._values = values.Values()
        self.alone: tuple[int, int] | None = None

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """torch would wrap the dispatch below in two more calls, for a compiler that is not
        here."""
        return False

    # ---- events -------------------------------------------------------------------------------

    def thread(self) -> int:
        """0 for the program's thread, then in order of appearance: handles are per thread."""
        return self._threads.setdefault(threading.get_ident(), len(self._threads))

    def mark(self, label: str) -> None:
        """A moment that anatomy and the repetition of a step refer to."""
        if label not in self.marks:
            self.marks.append(label)
        self.events.append((MARK, self.marks.index(label)))

    def scratch(self, fact: int, values: tuple[int, ...]) -> None:
        """A library call that takes memory and gives it back, or keeps it for the thread."""
        self.events.append((SCRATCH, None, self.site(), fact, values))

    def allocate_by_fact(self, tensor: torch.Tensor, fact: int, values: tuple[int, ...]) -> None:
        """A storage whose size the library decides."""
        self._track(tensor, (fact, values))

    def storage_key(self, tensor: torch.Tensor) -> int | None:
        """The key of a live storage."""
        if tensor.layout is not torch.strided:
            return None
        entry = self._alive.get(tensor.untyped_storage()._cdata)
        return entry[1] if entry else None

    def on_gpu(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor is on the pretended GPU."""
        return bool(tensor.device.type == "cuda")

    def set_role(self, tensor: Any, role: int) -> None:
        """Says what a storage is for."""
        if isinstance(tensor, torch.Tensor) and tensor.device.type == "cuda":
            key = self.storage_key(tensor)
            if key is not None:
                self.roles.setdefault(key, role)

    def _track(self, tensor: Any, fact: tuple[int, tuple[int, ...]] | None = None) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cuda":
            return
        if tensor.layout is not torch.strided:
            if tensor.layout is torch.sparse_coo:
                self._track(tensor._indices())
                self._track(tensor._values())
            return
        storage = tensor.untyped_storage()
        address = storage._cdata
        if address in self._alive:
            return
        size = storage.nbytes()
        if size == 0 and fact is None:
            return
        self._births += 1
        key = self._births
        events, alive = self.events, self._alive

        def died(_: Any) -> None:
            alive.pop(address, None)
            events.append((FREE, key))

        alive[address] = (weakref.ref(storage, died), key)
        if fact is None:
            events.append((ALLOC, key, size, self.site()))
        else:
            events.append((ALLOC_BY_FACT, key, self.site(), *fact))

    # ---- who asked ----------------------------------------------------------------------------

    def enter_module(self, name: str) -> None:
        """The named module's forward begins, in this thread."""
        stack = getattr(self._modules, "stack", None)
        if stack is None:
            stack = self._modules.stack = []
        stack.append(name)

    def leave_module(self) -> None:
        """It ended."""
        stack = getattr(self._modules, "stack", None)
        if stack:
            stack.pop()

    def depth(self) -> int:
        """How many modules' forwards this thread is in."""
        return len(getattr(self._modules, "stack", ()))

    def site(self) -> int:
        """The module and the user's line that the running operation belongs to."""
        stack = getattr(self._modules, "stack", None)
        module = stack[-1] if stack else ""
        file, line = self._user_line()
        if not file:
            node = torch._C._current_autograd_node()
            module = f"backward of {node.name()}" if node is not None else module
        site = (module, file, line)
        number = self._site_numbers.get(site)
        if number is None:
            number = self._site_numbers[site] = len(self.sites)
            self.sites.append(site)
        return number

    def _user_line(self) -> tuple[str, int]:
        frame = sys._getframe(2)
        files = self._files
        while frame is not None:
            name = frame.f_code.co_filename
            own = files.get(name)
            if own is None:
                own = files[name] = is_users(name)
            if own:
                return name, frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        return "", 0

    # ---- the operations -----------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _DEVICE_QUERY and type(args[0]) is FakeTensor:  # half of all calls
            return args[0].fake_device
        kwargs = kwargs or {}
        self.operations += 1
        if not types and self._runs_for_real(func, args, kwargs):
            with unset_fake_temporarily():
                return func(*args, **kwargs)
        if func is _ITEM:
            return self._item(args[0])
        if func is _INDEX:
            args = self._without_masks(args)
        elif func is _ADD:
            target = self._added_in_place(args, sys._getframe())
            if target is not None:
                return aten.alias.default(target)
        special = self.special.get(func)
        if special is not None:
            out = special(self, args, kwargs)
        elif types and _writes_real(func, args):
            return args[0]
        elif not types and func is aten._to_copy.default:
            out = _upload(args[0], kwargs)
        else:
            try:
                out = func(*args, **kwargs)
            except DynamicOutputShapeException:
                out = self._shaped_by_value(func, args, kwargs)
            except DataDependentOutputException:
                raise CannotPretend(
                    f"what {func.name()}{self._place()} returns depends on data, and without a GPU "
                    "there is none"
                ) from None
            except RuntimeError as error:
                if not _has_no_fake(error):
                    raise
                raise CannotPretend(
                    f"{func.name()}{self._place()} has no fake version, so the size of its "
                    "result is not known without running it "
                    "(torch.library.register_fake gives it one)"
                ) from None
        if type(out) is FakeTensor:
            self._track(out)
        elif func in facts.BIRTHS:
            for index in facts.BIRTHS[func]:
                self._track(out[index])
        elif out is not None:
            for leaf in tree_leaves(out):
                self._track(leaf)
        fact = facts.TABLE.get(func)
        if fact is not None:
            fact(self, args, kwargs, out)
        self._values.follow(func, args, kwargs, out)
        return out

    # ---- sums that torch makes in place, except for tensors it takes for a subclass' ------------

    def _added_in_place(self, args: Any, frame: Any) -> torch.Tensor | None:
        """The operand that a plain tensor's sum would be written to; nothing for other sums."""
        if len(args) < 2 or type(args[0]) is not FakeTensor or type(args[1]) is not FakeTensor:
            return None
        if getattr(self._modules, "in_linear", False):
            return args[0]  # linear adds its bias to the product
        # The engine adds up gradients itself: then no Python frame is below this call.
        if frame.f_back is not None or args[0].shape != args[1].shape:
            return None
        if self.alone is None:
            self.alone = _holders(args[0])
            return None
        for operand in args[:2]:
            if _holders(operand) <= self.alone and operand.dtype == args[0].dtype:
                return operand
        return None

    @contextmanager
    def linear(self) -> Iterator[None]:
        """While F.linear runs, in this thread."""
        self._modules.in_linear = True
        try:
            yield
        finally:
            self._modules.in_linear = False

    def learn_alone(self) -> None:
        """How many holders a gradient has that only the engine holds, learned from one example."""
        x = torch.ones(3, device="cuda", requires_grad=True)
        y = x * 2
        (y.exp() + y.sin()).sum().backward()
        del x, y
        self.events.clear()

    def _runs_for_real(self, func: Any, args: Any, kwargs: Any) -> bool:
        """Small tensors on the CPU keep their values, for constructors that read them back."""
        device = kwargs.get("device")
        if device is not None and torch.device(device).type != "cpu":
            return False
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if tensors:
            return all(tensor.device.type == "cpu" for tensor in tensors)
        size = 1
        for argument in args[:1]:
            if isinstance(argument, (list, tuple)):
                for extent in argument:
                    size *= extent if isinstance(extent, int) else 1
        return size <= _REAL_LIMIT

    def _item(self, tensor: torch.Tensor) -> Any:
        """Zero if it is unknown: so found_inf and norms are those of a step that goes well."""
        known = values.value_of(tensor)
        if known is not None:
            with unset_fake_temporarily():
                return known.item()
        self.note_made_up(tensor.device.type == "cpu")
        if tensor.dtype == torch.bool:
            return False
        if tensor.dtype.is_floating_point:
            return 1.0 if tensor.device.type == "cpu" else 0.0
        return 0

    def note_made_up(self, counts: bool) -> None:
        """The program read a value that is not known."""
        if counts and not self._read_back:
            self._read_back = True
            self.missing.append(
                "the program read a large tensor's value on the CPU; a made-up value was used"
            )

    def _without_masks(self, args: Any) -> Any:
        """x[mask] as torch does it: the mask's places become indices first."""
        indices: list[Any] = []
        for index in args[1]:
            if index is None or index.dtype not in (torch.bool, torch.uint8):
                indices.append(index)
                continue
            places = self._shaped_by_value(aten.nonzero.default, (index,), {})
            self._track(places)
            known = values.value_of(places)
            for dim in range(index.dim()):
                column = places.select(1, dim)
                if known is not None:
                    values.upload(known.select(1, dim), column)
                indices.append(column)
        return (args[0], indices)

    def _place(self) -> str:
        file, line = self._user_line()
        return f" at {file.rsplit('/', 1)[-1]}:{line}" if file else ""

    def _shaped_by_value(self, func: Any, args: Any, kwargs: Any) -> Any:
        place = self._place()
        if func.name() not in values.MOST:
            raise CannotPretend(
                f"what {func.name()}{place} returns depends on data, and without a GPU there is "
                "none; plan a step that gives it as an input, made with the usual size"
            )
        out, true = values.shaped_by_value(func, args, kwargs)
        if not true:
            text = f"{func.name()}{place} depends on data: the most it can return was taken"
            if text not in self.missing:
                self.missing.append(text)
        return out


def _holders(tensor: torch.Tensor) -> tuple[int, int]:
    """References to a tensor and to its storage."""
    storage = tensor.untyped_storage()
    return tensor._use_count(), torch._C._storage_Use_Count(storage._cdata)  # type: ignore[attr-defined]


def _has_no_fake(error: RuntimeError) -> bool:
    """The operation has no fake version; custom_op says so only in its message."""
    return isinstance(error, (UnsupportedOperatorException, NotImplementedError)) or (
        "no fake impl registered" in str(error)
    )


def _upload(tensor: torch.Tensor, kwargs: dict[str, Any]) -> torch.Tensor:
    """Copies a real tensor to the pretended GPU; FakeTensorMode would try the real one."""
    dtype = kwargs.get("dtype") or tensor.dtype
    stride = tensor.stride()
    if not torch.ops.aten.is_non_overlapping_and_dense(tensor):  # then the copy is contiguous
        stride = tuple(prod(tensor.shape[dim + 1 :]) for dim in range(tensor.dim()))
    copy = torch.empty_strided(tensor.shape, stride, dtype=dtype, device=kwargs["device"])
    values.upload(tensor, copy)
    return copy


def _writes_real(func: Any, args: Any) -> bool:
    """A pretended value is written into a real tensor: there is no value to write."""
    return (
        bool(args)
        and isinstance(args[0], torch.Tensor)
        and type(args[0]) is not FakeTensor
        and func._schema.is_mutable
        and args[0].device.type == "cpu"
    )
