"""The server extension in a real Jupyter server, with real kernels that really die."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.jupyter import PYTHON, Jupyter, require
from support.run import PATIENCE, ROOT, Holdfast, eventually

ENDPOINTS = (
    "holdfast/status?kernel=k",
    "holdfast/notebooks",
    "holdfast/runs",
    "holdfast/why?kernel=k",
    "holdfast/check",
)


class Server:
    """A Jupyter server on a free port of the loopback, and its interface."""

    def __init__(self, jupyter: Jupyter):
        config = jupyter.folder / "config/jupyter_server_config.d"
        config.mkdir(parents=True)
        (config / "holdfast.json").symlink_to(ROOT / "python/jupyter-config/holdfast.json")
        self.token = secrets.token_hex(8)
        self.log = jupyter.folder / "server.log"
        self.process = subprocess.Popen(
            [
                PYTHON,
                "-m",
                "jupyter_server",
                "--no-browser",
                "--allow-root",
                "--ip=127.0.0.1",
                f"--IdentityProvider.token={self.token}",
                f"--ServerApp.root_dir={jupyter.folder}",
            ],
            env=jupyter.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
        )
        self.url = eventually("the server says where it listens", self._address, 3 * PATIENCE)
        eventually("the server listens", self._answers)

    def _address(self) -> str | None:
        assert self.process.poll() is None, self.log.read_text()
        found = re.search(r"is running at:\n.*(http://127\.0\.0\.1:\d+/)", self.log.read_text())
        return found and found[1]

    def _answers(self) -> bool:
        """It prints its address a moment before it answers."""
        try:
            return self.ask("api/status")[0] == 200
        except urllib.error.URLError:
            return False

    def ask(self, path: str, /, method: str = "GET", token: str | None = None, **body: str):
        """(status, JSON) of an answer."""
        return self._ask(path, method, body, self.token if token is None else token)

    def send(self, path: str, body: dict):
        return self._ask(path, "POST", body, self.token)

    def _ask(self, path: str, method: str, body: dict, token: str):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"token {token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else text

    def kernel(self, name: str = "held", **more: str) -> str:
        status, kernel = self.ask("api/kernels", "POST", name=name, **more)
        assert status == 201, kernel
        return kernel["id"]

    def watched(self, kernel: str, other_than: str = "") -> dict:
        """Its status, once there are figures."""

        def look():
            status, answer = self.ask(f"holdfast/status?kernel={kernel}")
            assert status == 200, answer
            seen = answer["watched"] and answer["memory_bytes"] is not None
            return answer if seen and answer["run"] != other_than else None

        return eventually("the kernel is seen to be watched", look)

    def deaths(self) -> list[str]:
        return [run["id"] for run in self.ask("holdfast/runs")[1]["runs"] if run["death"]]

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def jupyter(binary, tmp_path_factory):
    require("jupyter_server", "ipykernel")
    folder = tmp_path_factory.mktemp("jupyter")
    made = Jupyter(Holdfast(binary, folder / "home"), folder)
    made.install()
    return made


@pytest.fixture(scope="module")
def server(jupyter):
    started = Server(jupyter)
    yield started
    started.end()


def main_pid(jupyter: Jupyter, run: str) -> int:
    return jupyter.holdfast.why(run)["process"]["pid"]


def listening_sockets(pid: int) -> int:
    """How many TCP sockets of this process listen."""
    listening = {
        fields[9]
        for name in ("tcp", "tcp6")
        for fields in map(str.split, Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:])
        if fields[3] == "0A"
    }
    links = (str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir())
    return sum(link.startswith("socket:[") and link[8:-1] in listening for link in links)


def test_nobody_without_the_token_learns_anything(server):
    for path in ENDPOINTS:
        assert server.ask(path, token="wrong")[0] == 403, path
    assert server.ask("holdfast/runs")[0] == 200
    assert listening_sockets(server.process.pid) == 1


def test_memory_is_told_by_notebook_whether_watched_or_not(jupyter, server):
    jupyter.install_plain()
    sessions = {}
    for kernel in ("held", "plain"):
        name = f"{kernel}.ipynb"
        asked = {"path": f"work/{name}", "name": name, "type": "notebook"}
        status, made = server.send("api/sessions", {**asked, "kernel": {"name": kernel}})
        assert status == 201, made
        sessions[made["id"]] = name

    def rows():
        told = server.ask("holdfast/notebooks")[1]["notebooks"]
        large = [row for row in told if (row["bytes"] or 0) > 20 << 20]
        return {row["session"]: row for row in large} if len(large) >= 2 else None

    seen = eventually("both kernels have their memory", rows)
    assert {seen[session]["name"] for session in sessions} == {"held.ipynb", "plain.ipynb"}
    for session in sessions:
        assert server.ask(f"api/sessions/{session}", "DELETE")[0] == 204


def test_a_kernel_that_dies_is_told_with_cause_and_the_next_one_is_followed(jupyter, server):
    kernel = server.kernel()
    before = server.watched(kernel)
    assert before["memory_bytes"] > 0
    assert before["process_bytes"] > 0
    assert len(before["curve"]) > 0
    assert server.ask(f"holdfast/why?kernel={kernel}")[0] == 404

    os.kill(main_pid(jupyter, before["run"]), signal.SIGSEGV)
    status, verdict = eventually(
        "the death is told",
        lambda: (a := server.ask(f"holdfast/why?kernel={kernel}"))[0] == 200 and a,
    )
    assert status == 200
    assert verdict["run"]["id"] == before["run"]
    assert verdict["end"]["slug"] in verdict["headline"]
    assert server.ask(f"holdfast/why?run={before['run']}")[1]["end"] == verdict["end"]
    assert before["run"] in server.deaths()
    assert server.watched(kernel, other_than=before["run"])["run"] > before["run"]


def test_an_r_kernel_that_dies_is_told_to_lab_and_its_restart_is_quiet(jupyter, server):
    listed = ["Rscript", "-e", "cat(system.file('kernelspec', package = 'IRkernel'))"]
    if not shutil.which("Rscript") or not (
        spec := subprocess.run(listed, capture_output=True, text=True).stdout
    ):
        pytest.skip("no R with IRkernel: install r-cran-irkernel")
    shutil.copytree(spec, jupyter.folder / "data/kernels/ir")
    assert jupyter.kernel("install", "--from", "ir").returncode == 0
    kernel = server.kernel("holdfast-ir")
    before = server.watched(kernel)

    def interpreter() -> int | None:
        """R is first a script, and runs other programs, too."""
        pid = main_pid(jupyter, before["run"])
        try:
            return pid if b"/exec/R" in Path(f"/proc/{pid}/cmdline").read_bytes() else None
        except OSError:
            return None

    os.kill(eventually("R itself runs", interpreter), signal.SIGKILL)
    verdict = eventually(
        "the death is told",
        lambda: (a := server.ask(f"holdfast/why?kernel={kernel}"))[0] == 200 and a[1],
    )
    assert verdict["run"]["id"] == before["run"]
    after = server.watched(kernel, other_than=before["run"])["run"]
    assert after > before["run"]
    assert server.ask(f"api/kernels/{kernel}", "DELETE")[0] == 204
    assert after not in server.deaths()


def test_a_restart_that_was_asked_for_is_no_death(server):
    kernel = server.kernel()
    before = server.watched(kernel)
    assert server.ask(f"api/kernels/{kernel}/restart", "POST", x="")[0] == 200
    server.watched(kernel, other_than=before["run"])
    assert server.ask(f"holdfast/why?kernel={kernel}")[0] == 404
    assert before["run"] not in server.deaths()


def test_a_kernel_that_is_not_watched_is_said_to_be_so(jupyter, server):
    spec = jupyter.folder / "data/kernels/held/kernel.json"
    plain = spec.parents[1] / "plain/kernel.json"
    plain.parent.mkdir(exist_ok=True)  # another test has one as well
    plain.write_text(json.dumps(json.loads(spec.read_text())["metadata"]["holdfast"]["original"]))
    kernel = server.kernel("plain")
    unwatched = (200, {"watched": False, "ended": False})
    assert server.ask(f"holdfast/status?kernel={kernel}") == unwatched
    assert server.ask("holdfast/status?kernel=never-there") == unwatched


def test_a_check_judges_the_kernels_own_python_and_folder(jupyter, server):
    status, own = server.ask("holdfast/check")
    assert status == 200, own
    assert own["python"]["program"] == PYTHON
    assert own["fine"] > 10
    (jupyter.folder / "notebooks").mkdir()
    kernel = server.kernel(path="notebooks")
    server.watched(kernel)
    (jupyter.folder / "notebooks/statistics.py").touch()
    status, answer = server.ask(f"holdfast/check?kernel={kernel}")
    assert status == 200, answer
    assert answer["python"]["program"] == PYTHON
    assert any("statistics.py" in finding["summary"] for finding in answer["findings"])
    assert not any("statistics.py" in finding["summary"] for finding in own["findings"])


@pytest.mark.parametrize(
    "question",
    [
        "status",
        "status?kernel=../x",
        "why",
        "why?run=--help",
        "why?run=../../etc",
        "why?run=20260101-000000-000-1&kernel=k",
        "why?kernel=-k",
        "check?kernel=../x",
    ],
)
def test_a_question_that_makes_no_sense_is_refused(server, question):
    assert server.ask(f"holdfast/{question}")[0] == 400


def test_a_run_that_is_not_there_is_not_found(server):
    assert server.ask("holdfast/why?run=20260101-000000-000-1")[0] == 404


def test_a_server_without_the_program_says_so_and_goes_on(jupyter, tmp_path):
    alone = Jupyter(jupyter.holdfast, tmp_path)
    alone.more["HOLDFAST_BIN"] = "/nowhere/holdfast"
    server = Server(alone)
    try:
        status, answer = server.ask("holdfast/runs")
        assert status == 503
        assert "/nowhere/holdfast" in answer["message"]
        assert server.ask("api/kernels")[0] == 200
    finally:
        server.end()
