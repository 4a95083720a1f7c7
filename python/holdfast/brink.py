"""What to do at the brink: memory is nearly used up, and the guard cannot refuse what takes it."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from holdfast._agent import agent
from holdfast._pause import children_paused


class _OwnBrinkError(MemoryError):
    """Memory was about to run out. Raised between two steps, where nothing is half done."""

    __module__ = "holdfast"
    __qualname__ = __name__ = "BrinkError"


def _error_class() -> Any:
    """The agent's own class, so that ``except BrinkError`` catches what its hooks raise."""
    inside = agent()
    return _OwnBrinkError if inside is None else inside.hook("hooks.brink").BrinkError


BrinkError = _error_class()


@dataclass(frozen=True)
class Brink:
    """What a callback receives."""

    room: int | None  # bytes left before the limit; None: could not be read
    limit: int | None


Callback = TypeVar("Callback", bound="Callable[..., object]")
_callbacks: list[Callable[..., object]] = []
_interrupting: list[Callable[..., object]] = []
_pausing: list[Callable[..., object]] = []
_watcher: list[threading.Thread] = []


@overload
def on_brink(callback: Callback, *, interrupt: bool = False, pause: bool = False) -> Callback: ...
@overload
def on_brink(*, interrupt: bool = False, pause: bool = False) -> Callable[[Callback], Callback]: ...
def on_brink(callback: Any = None, *, interrupt: bool = False, pause: bool = False) -> Any:
    """Calls ``callback(brink)`` when memory is nearly used up; also works as a decorator.

    It runs at once, on a separate thread, while the program goes on. Use it to save a checkpoint or
    to drop a cache. Callbacks run one after another, once each time that memory is nearly used up.
    A callback may take no argument. Outside a supervised run it is never called.

    With ``interrupt`` the main thread then gets a BrinkError wherever it is, as soon as it runs
    Python code. Use this only where that is safe: it can interrupt an optimizer's step or leave a
    lock taken.

    With ``pause`` the processes below this one (workers of a loader, a pool) are stopped until all
    callbacks have run, so that they take no more memory.
    """
    if callback is None:
        return lambda later: on_brink(later, interrupt=interrupt, pause=pause)
    _callbacks.append(callback)
    if pause:
        _pausing.append(callback)
    if interrupt:
        _interrupting.append(callback)
    inside = agent()
    # A child of fork has the list but not the thread.
    if inside is not None and not (_watcher and _watcher[-1].is_alive()):
        thread = threading.Thread(target=_watch, args=(inside,), name="holdfast-brink", daemon=True)
        _watcher.append(thread)
        thread.start()
    return callback


def _watch(inside: Any) -> None:
    seen = inside.wait_brink(0, 0)
    while True:
        count = inside.wait_brink(seen, 1000)
        if count != seen:
            seen = count
            with children_paused() if _pausing else contextlib.nullcontext():
                left = inside.headroom()
                _call_all(Brink(None, None) if left is None else Brink(*left))
            if _interrupting:
                _interrupt_main()


def _interrupt_main() -> None:
    main = ctypes.c_ulong(threading.main_thread().ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(BrinkError))


def _call_all(brink: Brink) -> None:
    for callback in list(_callbacks):
        try:
            if _takes_argument(callback):
                callback(brink)
            else:
                callback()
        except Exception as error:
            # As Python shows a thread's own uncaught exception.
            threading.excepthook(
                threading.ExceptHookArgs(
                    (type(error), error, error.__traceback__, threading.current_thread())
                )
            )


def _takes_argument(callback: Callable[..., object]) -> bool:
    try:
        inspect.signature(callback).bind(None)
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature
        return True
    return True
