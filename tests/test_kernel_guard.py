"""The guard in a notebook: the cell fails, the kernel lives, and every variable is still there."""

import pytest

from support.jupyter import errors, guarded_session

LIMIT = 400 << 20


@pytest.fixture
def session(jupyter, control_group):
    yield from guarded_session(jupyter, control_group(memory=LIMIT))


def said(answer: dict) -> str:
    return "".join(output.get("text", "") for output in answer["outputs"])


def test_a_cell_that_would_kill_the_kernel_gets_a_memory_error(session):
    session.run("kept = []\nstate = {'step': 7}")
    failed = session.run("while True:\n    kept.append(bytearray(b'x') * (8 << 20))")
    # Showing one error can cause the next, because IPython needs memory for that, too.
    assert "MemoryError" in [error["ename"] for error in errors(failed["outputs"])]
    assert said(session.run("print(state, len(kept) > 10)")) == "{'step': 7} True\n"


def test_cells_that_touch_old_memory_fail_between_two_of_them(session):
    session.run(
        "import mmap\ndone = []\n"
        "memory = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)"
    )
    for _ in range(16):
        touched = session.run(
            "begin = len(done) * 24 << 20\n"
            "memory[begin : begin + (24 << 20)] = b'x' * (24 << 20)\n"
            "done.append(begin)"
        )
        if failed := errors(touched["outputs"]):
            break
    assert [error["ename"] for error in failed] == ["BrinkError"]
    assert "the last cells took more" in failed[0]["evalue"]
    assert said(session.run("print(memory[done[-1]] == ord('x'))")) == "True\n"
