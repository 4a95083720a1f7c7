"""Stops this process's children for a while; they go on even if this process is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator

from holdfast._descendants import descendants
from holdfast._held_process import HeldProcess, stat_fields

# It reads until the word comes that the pause is over, or until its input ends because this process
# has died. Then it continues each PID:START that still has this start.
_RELEASE = r"""
set -f
is_same() { [ "${20-}" = "$start" ]; }
read -r word && [ "$word" = over ] && exit
for one do
    pid=${one%:*} start=${one#*:} text=
    while read -r line || [ -n "$line" ]; do text="$text $line"; done 2>/dev/null <"/proc/$pid/stat"
    is_same ${text##*)} && kill -CONT "$pid" 2>/dev/null
done
:
"""


@contextlib.contextmanager
def children_paused() -> Iterator[list[int]]:
    """Stops the processes below this one; none, if the helper that continues them cannot start."""
    found = _running_below_us()
    stopped: list[HeldProcess] = []
    release = _start_release(found) if found else None
    try:
        if release is not None:
            stopped = [child for child in found if child.send(signal.SIGSTOP)]
        _wait_for_stop(stopped)
        yield [child.pid for child in stopped]
    finally:
        # All that were found: an interrupt may have come before `stopped` was made.
        if release is not None:
            for child in found:
                child.send(signal.SIGCONT)
            _end_release(release)
        for child in found:
            child.close()


def _running_below_us() -> list[HeldProcess]:
    """A pid that was found may have passed to a stranger before it was held: so looks again."""
    held = [child for child in map(HeldProcess.open, descendants(os.getpid())) if child is not None]
    still_ours = set(descendants(os.getpid()))
    found = []
    for child in held:
        if child.pid in still_ours and _state(child.pid) not in "TtZX":
            found.append(child)
        else:
            child.close()
    return found


def _start_release(children: list[HeldProcess]) -> subprocess.Popen[bytes] | None:
    words = ["/bin/sh", "-c", _RELEASE, "sh", *(f"{one.pid}:{one.start}" for one in children)]
    try:
        # In its own session, so that Ctrl-C does not end it.
        return subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
    except (OSError, MemoryError):
        return None


def _end_release(release: subprocess.Popen[bytes]) -> None:
    if release.stdin is not None:
        with contextlib.suppress(OSError):
            release.stdin.write(b"over\n")
            release.stdin.flush()
        with contextlib.suppress(OSError):
            release.stdin.close()
    release.wait()


def _wait_for_stop(children: list[HeldProcess]) -> None:
    """A signal may not have arrived yet; a process that reads from disk stops later."""
    for _ in range(100):
        if all(_state(child.pid) in "TtZX" for child in children):
            return
        time.sleep(0.001)


def _state(pid: int) -> str:
    fields = stat_fields(pid)
    return fields[0] if fields else "X"
