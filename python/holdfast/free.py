"""Frees memory in one call: does what the cause pages advise, for the libraries that are loaded."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Freed:
    """How many bytes each action freed; actions that freed nothing are not listed."""

    by_kind: dict[str, int] = field(default_factory=dict)
    gpu_by_device: dict[str, int] = field(default_factory=dict)

    @property
    def host(self) -> int:
        """Freed host memory."""
        return sum(self.by_kind.values())

    @property
    def gpu(self) -> int:
        """Freed GPU memory, on all devices."""
        return sum(self.gpu_by_device.values())

    def __str__(self) -> str:
        parts = {**self.by_kind, **self.gpu_by_device}
        if not parts:
            return "nothing came back"
        return ", ".join(f"{kind}: {size / 2**20:.1f} MiB" for kind, size in parts.items())


def free() -> Freed:
    """Drops references that keep unused memory alive and returns free memory to the system.

    In this order: references that tracebacks and IPython keep to the variables of failed code;
    unreachable cycles; caches of Keras and of torch on every device; free memory that malloc keeps.
    Nothing is imported, and no variable of yours is touched.
    """
    freed: dict[str, int] = {}

    def measured(kind: str, action: Callable[[], object]) -> None:
        before = _resident()
        # This frees the program's objects: its destructors and libraries may fail in any way.
        with contextlib.suppress(Exception):
            action()
        gained = before - _resident()
        if gained > 0:
            freed[kind] = freed.get(kind, 0) + gained

    measured("tracebacks", _forget_tracebacks)
    measured("IPython", _forget_outputs)
    measured("garbage", gc.collect)
    measured("Keras", _clear_keras)
    devices = _empty_torch_caches()
    measured("malloc", _trim)
    return Freed(freed, devices)


def _resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _forget_tracebacks() -> None:
    """Clears the last error of an interactive session, which keeps every frame of its traceback."""
    for name in ("last_exc", "last_value"):
        error = getattr(sys, name, None)
        seen: set[int] = set()
        while isinstance(error, BaseException) and id(error) not in seen:
            seen.add(id(error))
            error.__traceback__ = None
            error = error.__cause__ or error.__context__
    for name in ("last_exc", "last_value", "last_traceback", "last_type"):
        if hasattr(sys, name):
            setattr(sys, name, None)


def _shell() -> Any:
    module = sys.modules.get("IPython.core.interactiveshell")
    return None if module is None else getattr(module.InteractiveShell, "_instance", None)


def _forget_outputs() -> None:
    """Clears Out[n], _, __ and ___, which keep the results of cells; In stays."""
    shell = _shell()
    if shell is None:
        return
    names = shell.user_ns
    outputs = names.get("Out")
    if isinstance(outputs, dict):
        for number in list(outputs):
            names.pop(f"_{number}", None)
        outputs.clear()
    for name in ("_", "__", "___"):
        if name in names:
            names[name] = ""
    hook = getattr(shell, "displayhook", None)
    for name in ("_", "__", "___"):
        if hasattr(hook, name):
            setattr(hook, name, "")
    if hasattr(shell, "last_execution_result"):
        shell.last_execution_result = None


def _clear_keras() -> None:
    keras = sys.modules.get("keras")
    if keras is not None:
        keras.backend.clear_session()


def _empty_torch_caches() -> dict[str, int]:
    """For every device in use; a device that was never used is not initialised."""
    torch = sys.modules.get("torch")
    freed: dict[str, int] = {}
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        for number in range(cuda.device_count()):
            before = cuda.memory_reserved(number)
            with contextlib.suppress(Exception), cuda.device(number):
                cuda.empty_cache()
            if (gained := before - cuda.memory_reserved(number)) > 0:
                freed[f"cuda:{number}"] = gained
    mps = getattr(torch, "mps", None)
    if mps is not None and "torch.backends.mps" in sys.modules:
        with contextlib.suppress(Exception):
            if sys.modules["torch.backends.mps"].is_available():
                mps.empty_cache()
    return freed


def _trim() -> None:
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
