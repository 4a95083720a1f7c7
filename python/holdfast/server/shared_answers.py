"""One answer of the program for all who ask the same question within a moment.

So ten open tabs cost as much as one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

FRESH = 1.0


class SharedAnswers:
    """Safe for several threads; a second asker waits for the first one's answer."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._answers: dict[str, tuple[float, Any]] = {}

    def get(self, key: str, ask: Callable[[], Any]) -> Any:
        """The answer to `key`; calls `ask` if there is no fresh one."""
        with self._guard:
            self._drop_stale()
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            known = self._answers.get(key)
            if known is not None and self._clock() - known[0] < FRESH:
                return known[1]
            answer = ask()
            with self._guard:
                self._answers[key] = (self._clock(), answer)
            return answer

    def _drop_stale(self) -> None:
        old = [key for key, (made, _) in self._answers.items() if self._clock() - made > 60 * FRESH]
        for key in old:
            del self._answers[key]
            if not self._locks[key].locked():
                del self._locks[key]
