"""A cell that does not move says so while it runs, with its line; healthy cells show nothing."""

import json
import time

from support.jupyter import errors

LOCKED = """\
import threading
lock = threading.Lock()
def update():
    with lock:
        with lock:
            pass
update()
"""
STEPS = """\
import time, holdfast
def train(steps):
    for number in range(steps):
        time.sleep(0.01)
        holdfast.step(loss=1.0)
def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
"""


def session_with(jupyter, patience: int):
    """A kernel that is called stuck after so many seconds instead of twenty."""
    file = jupyter.folder / "data/kernels/held/kernel.json"
    spec = json.loads(file.read_text())
    at = spec["argv"].index("run") + 1
    spec["argv"][at:at] = ["--stall-after", str(patience)]
    file.write_text(json.dumps(spec))
    return jupyter.session()


def shown(answer: dict) -> list[str]:
    displayed = [output for output in answer["outputs"] if output["kind"] == "display_data"]
    return [output["data"]["text/plain"] for output in displayed]


def told_amid(session, code: str) -> str:
    """The first text in the cell while it runs; then it is interrupted."""
    request = session.do("send", code=code)
    said = session.do("until", request=request, kind="display_data")["data"]["text/plain"]
    session.do("interrupt")
    later = session.do("answer", request=request)
    assert shown(later) == []
    assert [error["ename"] for error in errors(later["outputs"])] == ["KeyboardInterrupt"]
    return said


def test_a_lock_that_nobody_will_release_is_told_in_the_cell_with_its_line(jupyter):
    session = session_with(jupyter, 2)
    for number in (1, 3):  # the second is a new stall
        said = told_amid(session, LOCKED)
        assert said.startswith("holdfast: not moving for ")
        assert f"cell [{number}], line 5" in said
        assert "\n" not in said.strip()
        assert shown(session.run("1 + 1")) == []
    session.do("shutdown")
    session.end()


# Longer than it takes until a stall is looked at, and than the patience of these tests.
WAITS = {
    "sleeps": "import time\ntime.sleep(9)",
    "waits with a limit": "import threading\nheld = threading.Lock()\nheld.acquire()\n"
    "held.acquire(timeout=9)",
    "waits for its own thread": "import threading, time\n"
    "thread = threading.Thread(target=time.sleep, args=(9,))\nthread.start()\nthread.join()",
    "waits for a child": "import subprocess\nsubprocess.run(['sleep', '9'])",
}


def says_nothing(jupyter, session, *cells: str) -> None:
    for code in cells:
        answer = session.run(code)
        assert answer["reply"]["status"] == "ok", answer
        assert shown(answer) == [], code
    session.do("shutdown")
    session.end()
    assert "not moving" not in (jupyter.folder / "session.log").read_text()


def test_cells_that_wait_for_what_will_come_say_nothing(jupyter):
    says_nothing(jupyter, session_with(jupyter, 1), *WAITS.values())


def test_a_kernel_at_rest_says_nothing(jupyter):
    session = session_with(jupyter, 1)
    assert shown(session.run("1 + 1")) == []
    time.sleep(9)
    says_nothing(jupyter, session, "1 + 1")


def test_a_cell_that_works_after_a_training_in_another_says_nothing(jupyter):
    says_nothing(jupyter, session_with(jupyter, 1), STEPS, "train(30)", "spin(22)")


def test_a_loop_whose_steps_no_longer_end_is_told_in_its_cell(jupyter):
    session = session_with(jupyter, 1)  # busy ones get fifteen times as long
    assert not errors(session.run(STEPS)["outputs"])
    said = told_amid(session, "train(30)\nspin(600)")
    assert "Busy, but no step finishes" in said
    assert "cell [1], line 8" in said
    session.do("shutdown")
    session.end()
