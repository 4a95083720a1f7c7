"""A watched kernel is restarted, shut down, switched off, and asked about itself."""

import json
import os
import socket
from pathlib import Path

import pytest

from support import proc
from support.jupyter import PYTHON, words
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


def below(pid: int) -> set[int]:
    found: set[int] = set()
    for child in proc.children(pid):
        found |= {child} | below(child)
    return found


def is_free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def files(jupyter) -> set[Path]:
    """All except the records of runs, which are meant to stay, and IPython's history."""
    kept = (jupyter.holdfast.home / "runs", jupyter.folder / "ipython")
    found = (path for path in jupyter.folder.rglob("*") if path.is_file())
    return {path for path in found if not any(one in path.parents for one in kept)}


def test_restarts_leave_no_process_no_port_no_file_and_no_words_behind(jupyter):
    (jupyter.folder / "tmp").mkdir()
    jupyter.more["TMPDIR"] = str(jupyter.folder / "tmp")
    (jupyter.folder / "session.log").touch()
    before = files(jupyter)
    session = jupyter.session()
    supervisor = session.started["pid"]
    connection = json.loads(Path(session.started["file"]).read_text())
    ports = [value for name, value in connection.items() if name.endswith("_port")]
    assert len(ports) == 5 and not any(map(is_free, ports))
    for now in (False, True, False, True, False):
        alive = below(supervisor) | {supervisor}
        busy = session.do("send", code="import time; print('on', flush=True); time.sleep(600)")
        session.do("until", request=busy, kind="stream")
        supervisor = session.do("restart", now=now)["pid"]
        eventually("their end", lambda gone=alive: not any(map(proc.is_running, gone)))
        assert text(session.run("6 * 7")) == "42"
    session.do("shutdown")
    eventually("its end", lambda: not proc.is_running(supervisor))
    assert all(map(is_free, ports))
    session.end()
    # These files would include a message for a new kernel.
    assert files(jupyter) == before
    assert "HF" not in (jupyter.folder / "session.log").read_text()


def test_a_busy_kernel_shut_down_on_request_was_shut_down(jupyter, session):
    request = session.do("send", code="import time; print('on', flush=True); time.sleep(600)")
    session.do("until", request=request, kind="stream")
    session.do("shutdown")
    verdict = jupyter.holdfast.why()
    assert verdict["end"]["slug"] == "shut-down"
    assert "HF" not in (jupyter.folder / "session.log").read_text()


# ipykernel sometimes does this to a thread that prints while the kernel ends: the other end of its
# pipe is closed, and then the pipe itself, while the thread waits to write.
FALLS = """
import atexit, signal, threading, time, zmq
context = zmq.Context()
other, pipe = context.socket(zmq.PULL), context.socket(zmq.PUSH)
other.linger = pipe.linger = 0
other.bind("inproc://x")
pipe.connect("inproc://x")
pipe.send(b"")
other.recv()
other.close()
time.sleep(1)
thread = threading.Thread(target=pipe.send, args=(b"",), daemon=True)
thread.start()
time.sleep(1)
def fall():
    signal.signal(signal.SIGUSR1, lambda *_: None)
    pipe.close()
    while thread.is_alive():
        time.sleep(0.1)
        signal.pthread_kill(thread.ident, signal.SIGUSR1)
atexit.register(fall)
"""


def test_a_kernel_that_libzmq_aborts_while_it_is_shut_down_was_shut_down(jupyter, session):
    session.run(FALLS)
    session.do("shutdown")
    session.end()
    verdict = jupyter.holdfast.why()
    assert verdict["exit"]["signal"] == "SIGABRT"
    assert verdict["root"]["slug"] == "shut-down"
    assert "holdfast: " not in (jupyter.folder / "session.log").read_text()
    assert not list(jupyter.holdfast.home.glob("kernels/*"))


def test_switched_off_it_is_the_plain_kernel(jupyter):
    jupyter.more = {"HOLDFAST": "0"}
    ran = jupyter.notebook("import os; os.abort()")
    assert ran["raised"] == "DeadKernelError"
    assert not jupyter.holdfast.runs()


def test_a_provisioner_watches_kernels_of_any_kernelspec(jupyter, tmp_path):
    """By its entry point, which an installed package has; a folder on the path stands in for it."""
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
    shown = text(session.run("%holdfast"))
    assert "No variable holds more than 64 KiB" in shown
    assert "in use" in shown and "of it this kernel's" in shown
    cell = "%%memory\nkept = bytearray(64 << 20)\nlost = bytearray(32 << 20)\ndel lost\nlen(kept)"
    measured = session.run(cell)
    assert measured["reply"]["status"] == "ok", measured
    plain = text(measured)
    rows = [line.split() for line in plain.splitlines() if "kept = " in line]
    assert rows and rows[0][:2] == ["+64", "MiB"] and "2" in rows[0], plain
    assert str(64 << 20) in plain
    assert "kept" in text(session.run("%holdfast variables"))
    assert "say one of" in str(session.run("%holdfast nonsense"))
    session.do("shutdown")


def test_a_magic_checks_the_kernels_own_environment(session):
    assert session.run("%load_ext holdfast")["reply"]["status"] == "ok"
    shown = text(session.run("%holdfast check"))
    assert "checks fine" in shown
    assert "Checked: Python 3." in shown
    session.run("import sys; found = get_ipython().run_line_magic('holdfast', 'check torch')")
    assert "True" in text(session.run("found.fine > 10 and found.python.program == sys.executable"))
    session.run("open('transformers.py', 'w').close()")
    shown = " ".join(text(session.run("%holdfast check")).split())
    assert "transformers.py in the working directory" in shown
    assert "say torch, tensorflow or jax" in str(session.run("%holdfast check caffe"))


def test_the_magic_tells_of_this_notebooks_kernel_though_another_run_was_later(session, jupyter):
    session.run("import os; os.abort()")
    session.do("start_again")
    assert jupyter.holdfast.run("sh", "-c", "exit 3").returncode == 3
    session.run("%load_ext holdfast")
    assert "native-abort" in str(session.run("%holdfast why")["outputs"])
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
