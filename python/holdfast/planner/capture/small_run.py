"""The fallback where a step cannot be pretended: small real runs on the CPU, scaled to the batch.

Operations without a fake version, and results whose shape depends on data, need real tensors. The
step then really runs at two small batches, and everything that was meant for the GPU is on the CPU.
Births and deaths are noted as in a capture; whatever grows between the two batches is scaled. The
GPU's own kernels never run, so this is an estimate, and marked as one.
"""

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
import torch.utils._foreach_utils
from torch.utils._pytree import tree_leaves

from holdfast.planner.capture import capture
from holdfast.planner.capture.capture import World
from holdfast.planner.exchange import capture_file, problem
from holdfast.planner.exchange.device import Device
from holdfast.planner.exchange.numbers import ALLOC, FREE, SCRATCH
from holdfast.planner.pretend import facts
from holdfast.planner.pretend.pretend import cuda_module, replace
from holdfast.planner.pretend.recorder import StorageRecorder

BATCHES = (2, 4)
# Nine of ten such estimates are closer than this (bench/fit --small-runs).
BAND = 0.25
_SHARE_OF_MEMORY = 0.5


class NoSmallRun(RuntimeError):
    """The step cannot run on the CPU either."""

    told = True


def available_bytes() -> int:
    """The memory that this machine still has."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


class RealRecorder(StorageRecorder):
    """Follows real tensors on the CPU that stand for those on the GPU."""

    def __init__(self) -> None:
        super().__init__()
        self._live_bytes = 0
        self._seeing = True
        self._limit = int(available_bytes() * _SHARE_OF_MEMORY)

    def set_role(self, tensor: Any, role: int) -> None:
        """Says what a storage is for."""
        if isinstance(tensor, torch.Tensor):
            key = self.storage_key(tensor)
            if key is not None:
                self.roles.setdefault(key, role)

    def on_gpu(self, tensor: Any) -> bool:
        """Whether it would lie there."""
        return isinstance(tensor, torch.Tensor) and self.storage_key(tensor) is not None

    def born(self, tensor: Any) -> None:
        """A storage that would be the GPU's."""
        if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
            return
        storage = tensor.untyped_storage()
        address, size = storage._cdata, storage.nbytes()
        if address in self._alive or size == 0:
            return
        self._births += 1
        key = self._births
        self._live_bytes += size
        if self._live_bytes > self._limit:
            raise NoSmallRun(
                "this model needs a small run on the CPU to be planned, and is too large for "
                "one on this machine; plan a smaller model of its kind"
            )

        def died(_: Any) -> None:
            self._alive.pop(address, None)
            self._live_bytes -= size
            self.events.append((FREE, key))

        self._alive[address] = (weakref.ref(storage, died), key)
        self.events.append((ALLOC, key, size, self.site()))

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Inside, births are not noted."""
        self._seeing = False
        try:
            yield
        finally:
            self._seeing = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        wanted = kwargs.get("device")
        moved = wanted is not None and torch.device(wanted).type == "cuda"
        if moved:
            kwargs["device"] = torch.device("cpu")
        kwargs.pop("pin_memory", None)
        on_gpu = moved or any(self.on_gpu(leaf) for leaf in tree_leaves((args, kwargs)))
        if wanted is not None and not moved:
            # `device=x.device` says CPU here and would say GPU there; `.cpu()` really means it.
            on_gpu = bool(self.thread() or self.depth() or (on_gpu and kwargs.get("dtype")))
        out = func(*args, **kwargs)
        if on_gpu and self._seeing:
            for leaf in tree_leaves(out):
                self.born(leaf)
            fact = facts.TABLE.get(func)
            if fact is not None:
                fact(self, args, kwargs, out)
        return out

    def thread(self) -> int:
        """On a GPU, backward has its own thread, and with it its own handles."""
        return int(torch._C._current_autograd_node() is not None)

    def _user_line(self) -> tuple[str, int]:
        return ("", 0) if self.thread() else super()._user_line()


class _Attention(torch.autograd.Function):
    """Attention that keeps what the GPU's kernels keep; the CPU's keeps all its weights."""

    @staticmethod
    def forward(ctx: Any, recorder: RealRecorder, attend: Any, *qkv: torch.Tensor) -> torch.Tensor:
        with recorder.unseen():
            out: torch.Tensor = attend(*qkv)
            sums = qkv[0].new_empty(qkv[0].shape[:-1], dtype=torch.float32)
        recorder.born(out)
        recorder.born(sums)
        ctx.recorder, ctx.attend = recorder, attend
        ctx.save_for_backward(*qkv, out, sums)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        with ctx.recorder.unseen(), torch.enable_grad():
            qkv = [tensor.detach().requires_grad_() for tensor in ctx.saved_tensors[:3]]
            gradients = torch.autograd.grad(ctx.attend(*qkv), qkv, gradient)
        for made in gradients:
            ctx.recorder.born(made)
        return (None, None, *gradients)


def _attention(recorder: RealRecorder) -> Callable[..., torch.Tensor]:
    original = F.scaled_dot_product_attention

    def attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, *rest: Any, **named: Any
    ) -> torch.Tensor:
        if not recorder.on_gpu(query) or (attn_mask is not None and attn_mask.requires_grad):
            return original(query, key, value, attn_mask, *rest, **named)

        def attend(*qkv: torch.Tensor) -> torch.Tensor:
            return original(*qkv, attn_mask, *rest, **named)

        if torch.is_autocast_enabled("cpu"):
            kind = torch.get_autocast_dtype("cpu")
            query, key, value = (tensor.to(kind) for tensor in (query, key, value))
        return _Attention.apply(recorder, attend, query, key, value)  # type: ignore[no-any-return]

    return attention


@contextmanager
def gpu_is_the_cpu(recorder: StorageRecorder, device: Device) -> Iterator[None]:
    """Inside, what the program puts on the GPU is on the CPU, with the GPU's code paths."""
    original = torch.autocast.__init__

    def autocast(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        if device_type == "cuda" and not args and kwargs.get("dtype") is None:
            kwargs["dtype"] = torch.float16  # the CPU's own would be bfloat16
        original(self, "cpu" if device_type == "cuda" else device_type, *args, **kwargs)

    # A stand-in for the driver: torch asks it about device 0 before it asks us.
    if not torch.cuda.is_available():
        torch._C._ensureCUDADeviceGuardSet()
    with ExitStack() as stack:
        cuda_module(stack, device)
        replace(stack, torch.autocast, "__init__", autocast)
        replace(
            stack,
            torch.utils._foreach_utils,
            "_get_foreach_kernels_supported_devices",
            lambda: ["cpu", "cuda"],
        )
        assert isinstance(recorder, RealRecorder)
        replace(stack, F, "scaled_dot_product_attention", _attention(recorder))
        stack.enter_context(recorder)
        yield


REAL = World(RealRecorder, gpu_is_the_cpu)


def scaled(few: StorageRecorder, more: StorageRecorder, batch: int) -> list[tuple[Any, ...]]:
    """The events at a batch, from those at two small ones."""
    if len(few.events) != len(more.events) or any(
        a[0] != b[0] for a, b in zip(few.events, more.events, strict=True)
    ):
        raise NoSmallRun(
            "the step does different things at different batch sizes, so small "
            "runs do not show what it needs"
        )
    low, high = BATCHES
    events: list[tuple[Any, ...]] = []
    for a, b in zip(few.events, more.events, strict=True):
        if b[0] == ALLOC:
            # Grows between not at all and in proportion to the batch: noise is not scaled up.
            grows = min(max(0.0, (b[2] - a[2]) / (high - low)), b[2] / high)
            events.append((*b[:2], int(b[2] + grows * (batch - high)), *b[3:]))
        elif b[0] == SCRATCH and len(a[4]) == len(b[4]):
            values = tuple(
                x + (x - w) * (batch - high) // (high - low)
                for w, x in zip(a[4], b[4], strict=True)
            )
            events.append((*b[:4], values))
        else:
            events.append(b)
    return events


class SmallRuns:
    """The two runs, made once; every batch is scaled from them."""

    def __init__(self, record: Callable[[int], StorageRecorder]) -> None:
        self._record = record
        self._made: tuple[StorageRecorder, StorageRecorder] | None = None

    def _runs(self, reason: str) -> tuple[StorageRecorder, StorageRecorder]:
        if self._made is None:
            try:
                few, more = (self._record(size) for size in BATCHES)
            except Exception as error:
                raise NoSmallRun(
                    f"{reason}; a small run on the CPU does not work either: "
                    f"{problem.in_one_line(error)}"
                ) from error
            self._made = few, more
        return self._made

    def write(self, path: Path, batch: int, device: Device, reason: str) -> None:
        """An estimate as a capture file."""
        few, more = self._runs(reason)
        header = capture.header(more, batch, device)
        header["estimate"] = BAND
        if more.host is not None:
            sizes = [size * batch // BATCHES[1] for size in more.host["batch_tensors_bytes"]]
            header["host"] = {**more.host, "batch_tensors_bytes": sizes}
        header["missing"] = [
            reason,
            f"so this is an estimate from real runs on the CPU at batches of {BATCHES[0]} and "
            f"{BATCHES[1]}, off by up to {BAND:.0%}".replace("%", " %"),
        ]
        capture_file.write(path, header, scaled(few, more, batch), more.roles)
