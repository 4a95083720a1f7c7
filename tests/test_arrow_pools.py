"""Arrow's pools under the guard: what would not fit becomes an ArrowMemoryError at a line."""

import pytest

from support.interpreters import python_with

LIMIT = 512 << 20


@pytest.fixture
def guarded(holdfast, control_group):
    group = control_group(memory=LIMIT)
    inside = holdfast.inside(group.inside)

    def run(code: str, mode: str = "on", **environment: str):
        python = python_with("pyarrow", "pandas")
        ended = inside.run(
            python,
            "-c",
            code,
            options=[f"--guard={mode}"],
            text=True,
            env={**inside.environment, **environment},
        )
        return ended, group.oom_kills

    return run


ONE_CALL = """
import numpy as np, pyarrow as pa
one = pa.array(np.arange(1_000_000))
many = pa.chunked_array([one] * 200)
try:
    many.combine_chunks()
except pa.ArrowMemoryError as error:
    print(error, len(many))
"""


@pytest.mark.parametrize("backend", ["mimalloc", "jemalloc", "system"])
def test_one_call_that_takes_all_is_refused(guarded, backend):
    ended, kills = guarded(ONE_CALL, ARROW_DEFAULT_MEMORY_POOL=backend)
    assert kills == 0
    assert "malloc of size 1600000000 failed 200000000" in ended.stdout, ended.stderr
    assert ended.returncode == 0


def test_it_is_killed_where_the_guard_only_warns(guarded):
    ended, kills = guarded(ONE_CALL, mode="warn")
    assert (ended.returncode, kills) == (-9, 1)


GROW = """
import io, numpy as np, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
column = pa.array(np.arange(100_000.0))
sink = io.BytesIO()
pq.write_table(pa.table({"a": column, "b": column}), sink, compression="snappy")
kept = []
try:
    while True:
        kept.append(MAKE)
except MemoryError:
    last = kept[0]
    kept.clear()
    print(MAKE.equals(last))
"""


@pytest.mark.parametrize(
    "make",
    [
        "pc.add(column, 1)",
        "pq.read_table(io.BytesIO(sink.getvalue()))",
        "pa.array([str(i) for i in range(20_000)])",
        "column.take(pa.array(range(0, 100_000, 2)))",
    ],
)
def test_growth_by_many_calls_ends_in_an_error_with_all_data_whole(guarded, make):
    ended, kills = guarded(GROW.replace("MAKE", make))
    assert (ended.stdout, ended.returncode, kills) == ("True\n", 0, 0), ended.stderr


def test_freed_memory_that_is_used_again_is_not_refused(guarded):
    ended, kills = guarded(
        "import numpy as np, pyarrow as pa, pyarrow.compute as pc\n"
        "column = pa.array(np.arange(24_000_000.0))\n"  # 183 MiB, and as much again at a time
        "for i in range(12): pc.add(column, i)\n"
        "print('finished')\n"
    )
    assert (ended.stdout, kills) == ("finished\n", 0), ended.stderr
    assert "refused" not in ended.stderr
