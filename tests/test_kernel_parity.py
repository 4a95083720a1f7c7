"""A watched kernel behaves like the plain one: both get the same requests, and are compared."""

import os
import signal
import subprocess

import pytest

from support import proc
from support.jupyter import PYTHON, errors, require
from support.run import eventually


@pytest.fixture(params=["tcp", "ipc"])
def transport(request):
    return request.param


@pytest.fixture
def on_each(jupyter):
    """Does the same with a plain kernel and with a watched one; returns what both showed."""
    jupyter.install_plain()

    def play(scene, **how):
        seen = {}
        for kernel in ("plain", "held"):
            session = jupyter.session(kernel, **how)
            seen[kernel] = scene(session)
            session.end()
        assert seen["held"] == seen["plain"]
        return seen["held"]

    return play


def text(answer: dict) -> str:
    """What the cell printed and showed."""
    outputs = answer["outputs"]
    return "".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


LOOP = """
import time
caught = 0
end = time.monotonic() + 40
try:
    print('on', flush=True)
    while time.monotonic() < end:
        time.sleep(0.1)
except KeyboardInterrupt:
    caught += 1
for _ in range(5):
    try:
        time.sleep(0.1)
    except KeyboardInterrupt:
        caught += 1
print('caught', caught)
"""


@pytest.mark.parametrize("how", ["group", "supervisor"])
def test_an_interrupt_reaches_the_cell_exactly_once(on_each, how):
    def scene(session):
        request = session.do("send", code=LOOP)
        session.do("until", request=request, kind="stream")
        session.do("interrupt", how=how)
        answer = session.do("answer", request=request)
        after = text(session.run("1 + 1"))
        session.do("shutdown")
        return text(answer), answer["reply"]["status"], after

    assert on_each(scene) == ("caught 1\n", "ok", "2")


def test_an_interrupted_cell_has_a_keyboard_interrupt_and_no_words(on_each):
    def scene(session):
        request = session.do("send", code="import time\nprint('on', flush=True)\ntime.sleep(600)")
        session.do("until", request=request, kind="stream")
        session.do("interrupt")
        answer = session.do("answer", request=request)
        session.do("shutdown")
        return [error["ename"] for error in errors(answer["outputs"])], answer["reply"]["status"]

    assert on_each(scene) == (["KeyboardInterrupt"], "error")


def test_children_of_the_kernel_are_interrupted_with_it(on_each):
    code = """
import pathlib, subprocess, time
child = subprocess.Popen(['sleep', '60'])
while pathlib.Path(f'/proc/{child.pid}/comm').read_text() != 'sleep\\n':
    pass
print('on', flush=True)
time.sleep(600)  # child.wait() could take its status and be interrupted before it is written down
"""

    def scene(session):
        request = session.do("send", code=code)
        session.do("until", request=request, kind="stream")
        session.do("interrupt")
        answer = session.do("answer", request=request)
        left = text(session.run("child.wait(20)"))
        session.do("shutdown")
        return [error["ename"] for error in errors(answer["outputs"])], left

    assert on_each(scene) == (["KeyboardInterrupt"], "-2")


def test_input_and_passwords_reach_the_cell(on_each, transport):
    def scene(session):
        said = session.do("input", code="print('you said', input('name? '))", text="hello")
        code = "import getpass\nprint(len(getpass.getpass()))"
        secret = session.do("input", code=code, text="four")
        session.do("shutdown")
        return text(said), text(secret)

    assert on_each(scene, transport=transport) == ("you said hello\n", "4\n")


def test_restarts_bring_a_fresh_kernel_each_time(on_each):
    def scene(session):
        seen = []
        for now in (False, True):
            session.run("kept = 1")
            session.do("restart", now=now)
            answer = session.run("kept")
            seen.append([error["ename"] for error in errors(answer["outputs"])])
            seen.append(answer["reply"]["execution_count"])
        session.do("shutdown")
        return seen, session.do("alive")

    assert on_each(scene) == ([["NameError"], 1] * 2, False)


def test_a_kernel_whose_front_end_is_killed_ends(on_each):
    def scene(session):
        kernel = int(text(session.run("import os; os.getpid()")))
        session.end()
        eventually("both ends", lambda: not proc.is_running(kernel), 60)
        eventually("the supervisor's", lambda: not proc.is_running(session.started["pid"]))
        return True

    assert on_each(scene)


def test_shutdown_ends_with_the_same_status(jupyter, on_each, tmp_path):
    """Requested by a message on the control channel, as by a client that owns no process."""

    def scene(session):
        request = session.do(
            "request", channel="control", kind="shutdown_request", content={"restart": False}
        )
        status = session.do("reply", channel="control", request=request)["status"]
        eventually("its end", lambda: not session.do("alive"))
        return status, session.do("status")

    assert on_each(scene) == ("ok", 0)


def test_comms_go_both_ways(on_each, transport):
    code = """
from comm import create_comm
link = create_comm(target_name='test', data={'open': 1})
link.on_msg(lambda message: link.send({'twice': 2 * message['content']['data']['value']}))
"""

    def scene(session):
        request = session.do("send", code=code)
        opened = session.do("hear", kind="comm_open")
        session.do("reply", channel="shell", request=request)
        content = {"comm_id": opened["comm_id"], "data": {"value": 21}}
        session.do("request", channel="shell", kind="comm_msg", content=content)
        answer = session.do("hear", kind="comm_msg")
        session.do("shutdown")
        return opened["target_name"], opened["data"], answer["data"]

    assert on_each(scene, transport=transport) == ("test", {"open": 1}, {"twice": 42})


def test_widgets_go_round(on_each):
    require("ipywidgets")
    code = """
import ipywidgets
slider = ipywidgets.IntSlider(value=3)
slider.observe(lambda change: setattr(slider, 'description', f"was {change['old']}"), 'value')
slider
"""

    def scene(session):
        request = session.do("send", code=code)
        while True:
            opened = session.do("hear", kind="comm_open")
            if opened["data"]["state"].get("_model_name") == "IntSliderModel":
                break
        session.do("reply", channel="shell", request=request)
        update = {"method": "update", "state": {"value": 7}, "buffer_paths": []}
        content = {"comm_id": opened["comm_id"], "data": update}
        session.do("request", channel="shell", kind="comm_msg", content=content)
        changed = {}
        while "description" not in changed:
            data = session.do("hear", kind="comm_msg")["data"]
            changed = data["state"] if data["method"] == "update" else {}
        value = text(session.run("slider.value"))
        session.do("shutdown")
        return opened["data"]["state"]["value"], changed["description"], value

    assert on_each(scene) == (3, "was 3", "7")


class Debugger:
    """Speaks the debug adapter protocol over the control channel, as JupyterLab does."""

    def __init__(self, session):
        self._session = session
        self._count = 0

    def ask(self, command: str, **arguments) -> dict:
        self._count += 1
        content = {"type": "request", "command": command, "seq": self._count}
        request = self._session.do(
            "request",
            channel="control",
            kind="debug_request",
            content=content | {"arguments": arguments},
        )
        answer = self._session.do("reply", channel="control", request=request)
        assert answer.get("success"), answer
        return answer.get("body", {})


def test_a_breakpoint_stops_the_cell_and_shows_its_variables(on_each):
    require("debugpy")
    code = "def double(n):\n    twice = 2 * n\n    return twice\n\nprint(double(21))"

    def scene(session):
        debugger = Debugger(session)
        debugger.ask("initialize", clientID="test", adapterID="", pathFormat="path")
        debugger.ask("attach")
        source = debugger.ask("dumpCell", code=code)["sourcePath"]
        points = debugger.ask("setBreakpoints", breakpoints=[{"line": 3}], source={"path": source})[
            "breakpoints"
        ]
        debugger.ask("configurationDone")
        request = session.do("send", code=code)
        stopped = session.do("hear", kind="debug_event", event="stopped")["body"]
        frame = debugger.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"][0]
        scope = debugger.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
        names = debugger.ask("variables", variablesReference=scope)["variables"]
        debugger.ask("continue", threadId=stopped["threadId"])
        answer = session.do("answer", request=request)
        debugger.ask("disconnect", restart=False, terminateDebuggee=False)
        after = text(session.run("1 + 1"))
        session.do("shutdown")
        local = {one["name"]: one["value"] for one in names if one["name"] in ("n", "twice")}
        place = (frame["name"], frame["line"], points[0]["verified"])
        return stopped["reason"], place, local, text(answer), after

    expected = ("breakpoint", ("double", 3, True), {"n": "21", "twice": "42"}, "42\n", "2")
    assert on_each(scene) == expected


def have_subshells() -> bool:
    line = "import ipykernel, sys; sys.exit(ipykernel.version_info[0] < 7)"
    return subprocess.run([PYTHON, "-c", line], capture_output=True).returncode == 0


needs_subshells = pytest.mark.skipif(not have_subshells(), reason="ipykernel 7 has subshells")


def subshell_of(session) -> str:
    request = session.do("request", channel="control", kind="create_subshell_request", content={})
    return session.do("reply", channel="control", request=request)["subshell_id"]


def execute_in(session, subshell: str, code: str) -> str:
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    return session.do(
        "request",
        channel="shell",
        kind="execute_request",
        content=content | {"user_expressions": {}, "stop_on_error": True},
        subshell_id=subshell,
    )


@needs_subshells
def test_a_subshell_answers_while_a_cell_runs(on_each):
    def scene(session):
        subshell = subshell_of(session)
        code = (
            "import threading\ngo = threading.Event()\nprint('on', flush=True)\nprint(go.wait(40))"
        )
        busy = session.do("send", code=code)
        session.do("until", request=busy, kind="stream")
        aside = execute_in(session, subshell, "print('aside'); go.set()")
        said = session.do("until", request=aside, kind="stream")["text"]
        reply = session.do("reply", channel="shell", request=aside)["status"]
        answer = session.do("reply", channel="shell", request=busy)["status"]
        session.do("shutdown")
        return said.split()[0], reply, answer

    assert on_each(scene) == ("aside", "ok", "ok")


@needs_subshells
def test_a_death_amid_two_cells_is_told_in_both(jupyter):
    session = jupyter.session()
    subshell = subshell_of(session)
    busy = session.do("send", code="import time\nprint('on', flush=True)\ntime.sleep(600)")
    session.do("until", request=busy, kind="stream")
    aside = execute_in(session, subshell, "import os\nos.abort()")
    told = {session.do("hear", kind="error")["ename"] for _ in range(2)}
    replies = {
        session.do("reply", channel="shell", request=request)["ename"] for request in (busy, aside)
    }
    session.end()
    assert told == replies == {"KernelDied"}


def test_the_supervisor_killed_takes_the_kernel_along(jupyter):
    """A plain kernel has nothing to compare: that pid is the kernel itself."""
    session = jupyter.session()
    code = "import os; print(os.getpid(), os.getppid(), os.environ['JPY_PARENT_PID'])"
    kernel, parent, named = map(int, text(session.run(code)).split())
    assert parent == named == session.started["pid"]
    os.kill(parent, signal.SIGKILL)
    eventually("the kernel's end", lambda: not proc.is_running(kernel))
    session.end()
