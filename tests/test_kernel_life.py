"""A kernel under watch lives as the plain one: interrupts, restarts, input, its end on request."""

import os
import signal

import pytest

from support import proc
from support.jupyter import PYTHON, errors, words
from support.run import eventually


@pytest.fixture
def session(jupyter):
    made = jupyter.session()
    yield made
    made.end()


def text(answer: dict) -> str:
    """What the cell printed and showed."""
    outputs = answer["outputs"]
    return "".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)


@pytest.mark.parametrize("how", ["group", "supervisor"])
def test_an_interrupt_reaches_the_cell_exactly_once(session, how):
    loop = (
        "import time\ncaught = 0\nend = time.monotonic() + 40\n"
        "try:\n    print('on', flush=True)\n"
        "    while time.monotonic() < end:\n        time.sleep(0.1)\n"
        "except KeyboardInterrupt:\n    caught += 1\n"
        "for _ in range(5):\n"
        "    try:\n        time.sleep(0.1)\n"
        "    except KeyboardInterrupt:\n        caught += 1\n"
        "print('caught', caught)"
    )
    request = session.do("send", code=loop)
    session.do("until", request=request, kind="stream")
    session.do("interrupt", how=how)
    answer = session.do("answer", request=request)
    assert "caught 1" in text(answer)
    assert text(session.run("1 + 1")) == "2"
    session.do("shutdown")


def test_an_interrupted_cell_has_a_keyboard_interrupt_and_no_words(session):
    request = session.do("send", code="import time\nprint('on', flush=True)\ntime.sleep(60)")
    session.do("until", request=request, kind="stream")
    session.do("interrupt")
    answer = session.do("answer", request=request)
    assert [error["ename"] for error in errors(answer["outputs"])] == ["KeyboardInterrupt"]
    session.do("shutdown")


def test_input_reaches_the_cell(session):
    answer = session.do("input", code="print('you said', input())", text="hello")
    assert "you said hello" in text(answer)
    session.do("shutdown")


def below(pid: int) -> set[int]:
    found: set[int] = set()
    for child in proc.children(pid):
        found |= {child} | below(child)
    return found


def test_restarts_leave_no_process_and_no_words_behind(jupyter, session):
    supervisor = session.started["pid"]
    for now in (False, True, False, True, False):
        before = below(supervisor) | {supervisor}
        busy = session.do("send", code="import time; print('on', flush=True); time.sleep(100)")
        session.do("until", request=busy, kind="stream")
        supervisor = session.do("restart", now=now)["pid"]
        eventually("their end", lambda gone=before: not any(map(proc.is_running, gone)))
        assert text(session.run("6 * 7")) == "42"
    session.do("shutdown")
    eventually("its end", lambda: not proc.is_running(supervisor))
    # What the front end was told in between, and what a new kernel would be told.
    assert not list(jupyter.holdfast.home.glob("kernels/*"))
    assert "HF" not in (jupyter.folder / "session.log").read_text()


def test_a_busy_kernel_shut_down_on_request_was_shut_down(jupyter, session):
    request = session.do("send", code="import time; print('on', flush=True); time.sleep(100)")
    session.do("until", request=request, kind="stream")
    session.do("shutdown")
    verdict = jupyter.holdfast.why()
    assert verdict["end"]["slug"] == "shut-down"
    assert "HF" not in (jupyter.folder / "session.log").read_text()


def test_the_kernel_knows_its_parent_and_dies_with_it(session):
    supervisor = session.started["pid"]
    code = "import os; print(os.getpid(), os.getppid(), os.environ['JPY_PARENT_PID'])"
    answer = session.run(code)
    kernel, parent, named = map(int, text(answer).split())
    assert parent == named == supervisor
    os.kill(supervisor, signal.SIGKILL)
    eventually("the kernel's end", lambda: not proc.is_running(kernel))


def test_a_kernel_whose_server_is_gone_ends(session):
    supervisor = session.started["pid"]
    kernel = int(text(session.run("import os; os.getpid()")))
    session.end()
    eventually("both ends", lambda: not (proc.is_running(kernel) or proc.is_running(supervisor)))


def test_switched_off_it_is_the_plain_kernel(jupyter):
    jupyter.more = {"HOLDFAST": "0"}
    ran = jupyter.notebook("import os; os.abort()")
    assert ran["raised"] == "DeadKernelError"
    assert not jupyter.holdfast.runs()


def test_a_provisioner_watches_kernels_of_any_kernelspec(jupyter, tmp_path):
    """By its entry point, which an installed package has; here a folder on the path stands in."""
    info = tmp_path / "site/holdfast-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: holdfast\nVersion: 0\n")
    (info / "entry_points.txt").write_text(
        "[jupyter_client.kernel_provisioners]\n"
        "holdfast = holdfast.jupyter.provisioner:HoldfastProvisioner\n"
    )
    plain = tmp_path / "data/kernels/plain"
    plain.mkdir(parents=True)
    (plain / "kernel.json").write_text(
        f'{{"argv": ["{PYTHON}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"],'
        '"display_name": "plain", "language": "python"}'
    )
    path = f"{tmp_path / 'site'}{os.pathsep}{jupyter.environment['PYTHONPATH']}"
    jupyter.more = {"PYTHONPATH": path, "JUPYTER_DEFAULT_PROVISIONER_NAME": "holdfast"}
    ran = jupyter.notebook("import os; os.abort()", kernel="plain")
    assert "native-abort" in words(ran["cells"][0])


def test_magics_show_the_run_and_what_a_cell_did_to_memory(session):
    assert session.run("%load_ext holdfast")["reply"]["status"] == "ok"
    shown = session.run("%holdfast")
    assert "memory" in text(shown)
    cell = "%%memory\nkept = bytearray(64 << 20)\nlost = bytearray(32 << 20)\ndel lost\nlen(kept)"
    measured = session.run(cell)
    assert measured["reply"]["status"] == "ok", measured
    plain = text(measured)
    rows = [line.split() for line in plain.splitlines() if "kept = " in line]
    assert rows and rows[0][:2] == ["+64", "MiB"] and "2" in rows[0], plain
    assert str(64 << 20) in plain
    assert "say one of" in str(session.run("%holdfast nonsense"))
    session.do("shutdown")


def test_a_cell_measured_by_the_magic_dies_with_its_own_line(session):
    session.run("%load_ext holdfast")
    answer = session.run("%%memory\nimport os\nos.abort()")
    assert "cell [2], line 3" in words(answer["outputs"])


def test_a_verdict_is_shown_as_a_panel(session):
    session.run("import holdfast")
    answer = session.run("holdfast.why()")
    data = answer["outputs"][-1]["data"]
    assert "holdfast-verdict" in data["text/html"]
    assert "Still running" in data["text/html"]
    session.do("shutdown")
