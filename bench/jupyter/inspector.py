"""What a look at the variables costs in a kernel with many names."""

from __future__ import annotations

from collections.abc import Iterable

from bench.jupyter.place import Place
from bench.jupyter.restarts import kernel

FILL = "for n in range({}): globals()[f'name_{{n}}'] = [n, str(n), {{'a': n}}]"
# Milliseconds of wall clock and of processor time.
LOOK = """
import _imp, time
gather = _imp._holdfast_agent.hook('hooks.cell_memory').gather
wall, cpu = time.perf_counter(), time.process_time()
_ = gather(get_ipython())
print(1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu))
"""
Look = tuple[float, float]


def looks(place: Place, names: int, numbers: Iterable[int]) -> tuple[list[Look], list[Look]]:
    """The first look in each of some kernels, and three later ones."""
    first: list[Look] = []
    later: list[Look] = []
    for _ in numbers:
        with kernel(place, "held") as (_, client):
            client.execute_interactive(FILL.format(names), timeout=600)
            for number in range(4):
                said: list[str] = []

                def hear(message: dict, said: list[str] = said) -> None:
                    said.append(message["content"].get("text", ""))

                client.execute_interactive(LOOK, timeout=600, output_hook=hear)
                wall, cpu = map(float, "".join(said).split())
                (later if number else first).append((wall, cpu))
    return first, later
