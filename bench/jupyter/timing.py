"""How long from a death to its words in a client, and how much longer a kernel needs to start."""

import os
import time
from contextlib import contextmanager

from bench.jupyter.front_ends import Place


@contextmanager
def kernel(place: Place, name: str):
    """A kernel that is ready, and its client."""
    os.environ.update(place.environment)
    from jupyter_client.manager import KernelManager

    manager = KernelManager(kernel_name=name)
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        manager.start_kernel(stderr=nowhere)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def death_to_words(place: Place, count: int) -> list[float]:
    """The file's time is the moment of the death, told by the dying."""
    mark = place.folder / "mark"
    mark.touch()
    code = f"import os\nos.utime({str(mark)!r})\nos.abort()"
    times = []
    for _ in range(count):
        with kernel(place, "held") as client:
            request = client.execute(code)
            while True:
                message = client.get_iopub_msg(timeout=30)
                own = message["parent_header"].get("msg_id") == request
                if own and message["msg_type"] == "error":
                    break
            times.append(time.time() - mark.stat().st_mtime)
    return times


def start_up(place: Place, count: int) -> tuple[float, float]:
    """Median seconds until the kernel answers: watched, plain; taken in turns."""
    seen: dict[str, list[float]] = {"held": [], "plain": []}
    for _ in range(count):
        for name, times in seen.items():
            begin = time.monotonic()
            with kernel(place, name) as client:
                client.execute_interactive("pass", timeout=60)
                times.append(time.monotonic() - begin)
    held, plain = (sorted(times)[len(times) // 2] for times in seen.values())
    return held, plain
