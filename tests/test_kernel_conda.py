"""Kernels of conda environments: a prefix that nobody activated, and the wrappers that do it.

PyPI has no real conda; what it does to a kernel is simple, and is imitated here.
"""

import json
import stat
import subprocess

import pytest

from support import proc
from support.jupyter import PYTHON, Jupyter, errors, require, words
from support.run import eventually

# `conda run` of conda 24: a Python that runs a shell script, which activates and starts the command
# as a child, not in its own place; interrupts are left to the command.
CONDA = """#!{python}
import os, shlex, signal, subprocess, sys, tempfile
assert sys.argv[1:4] == ["run", "--no-capture-output", "-p"], sys.argv
prefix, *command = sys.argv[4:]
with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
    script.write("export CONDA_PREFIX=" + shlex.quote(prefix) + "\\n")
    script.write('export PATH="$CONDA_PREFIX/bin:$PATH"\\n')
    script.write('for one in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do . "$one"; done\\n')
    script.write(shlex.join(command) + "\\n")
signal.signal(signal.SIGINT, lambda *_: None)
ended = subprocess.run(["bash", script.name])
os.remove(script.name)
sys.exit(ended.returncode)
"""


@pytest.fixture
def prefix(tmp_path):
    """An environment with the packages of PYTHON, and a script that runs when it is activated."""
    folder = tmp_path / "conda/envs/train"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder], check=True)
    question = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = subprocess.check_output([PYTHON, "-c", question], text=True)
    own = subprocess.check_output([folder / "bin/python", "-c", question], text=True)
    (folder / own.strip() / "packages.pth").write_text(theirs)
    (folder / "conda-meta").mkdir()
    activate = folder / "etc/conda/activate.d/train.sh"
    activate.parent.mkdir(parents=True)
    activate.write_text("export MADE_BY_ACTIVATION=yes\n")
    conda = tmp_path / "conda/bin/conda"
    conda.parent.mkdir()
    conda.write_text(CONDA.format(python=PYTHON))
    conda.chmod(conda.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def jupyter(holdfast, tmp_path):
    require("ipykernel", "nbclient")
    return Jupyter(holdfast, tmp_path)


def text(answer: dict) -> str:
    return "".join(o.get("text", "") for o in answer["outputs"])


def test_an_environment_that_is_not_active_gets_its_own_kernel(jupyter, prefix):
    made = jupyter.kernel("install", "--python", str(prefix / "bin/python"), "--name", "train")
    assert made.returncode == 0, made.stderr
    session = jupyter.session("train")
    assert text(session.run("import sys; print(sys.prefix)")) == f"{prefix}\n"
    assert "cell [2], line 2" in words(session.run("import os\nos.abort()")["outputs"])
    session.end()


def test_an_active_environment_takes_the_kernelspec(jupyter, prefix):
    jupyter.more |= {"CONDA_PREFIX": str(prefix)}
    python = str(prefix / "bin/python")
    made = jupyter.kernel("install", "--python", python, "--name", "train", "--sys-prefix")
    assert made.returncode == 0, made.stderr
    spec = json.loads((prefix / "share/jupyter/kernels/train/kernel.json").read_text())
    assert python in spec["argv"]


@pytest.fixture
def wrapped(jupyter, prefix, tmp_path):
    """A kernelspec as people write it by hand, `train`, and a watched one, `holdfast-train`."""
    run = [str(tmp_path / "conda/bin/conda"), "run", "--no-capture-output", "-p", str(prefix)]
    kernel = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": [*run, *kernel], "display_name": "train", "language": "python"}
    folder = tmp_path / "data/kernels/train"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec | {"env": {"OF_THE_SPEC": "too"}}))
    made = jupyter.kernel("install", "--from", "train")
    assert made.returncode == 0, made.stderr
    return ["train", "holdfast-train"]


WHO = (
    "import os, sys; print(sys.prefix, os.environ['MADE_BY_ACTIVATION'], os.environ['OF_THE_SPEC'])"
)


def test_a_kernel_behind_conda_run_lives_as_without_us(jupyter, wrapped):
    seen = []
    for kernel in wrapped:
        session = jupyter.session(kernel)
        who = text(session.run(WHO))
        request = session.do("send", code="import time\nprint('on', flush=True)\ntime.sleep(600)")
        session.do("until", request=request, kind="stream")
        session.do("interrupt")
        answer = session.do("answer", request=request)
        after = text(session.run("print(6 * 7)"))
        pid = int(text(session.run("print(os.getpid())")))
        session.do("shutdown")
        eventually("its end", lambda gone=pid: not proc.is_running(gone))
        session.end()
        seen.append((who, [error["ename"] for error in errors(answer["outputs"])], after))
    assert seen[0] == seen[1]
    assert seen[0][0].endswith("yes too\n")
    assert seen[0][1:] == (["KeyboardInterrupt"], "42\n")


@pytest.mark.parametrize(
    ("code", "slug"),
    [("import os\nos.abort()", "native-abort"), ("import ctypes\nctypes.string_at(0)", "segfault")],
)
def test_its_death_is_told_in_the_cell(jupyter, wrapped, code, slug):
    ran = jupyter.notebook("x = 1", code, "y = 2", kernel=wrapped[1])
    assert ran["raised"] == "CellExecutionError"
    assert f" {slug}: " in words(ran["cells"][1])
    assert "cell [2], line 2" in words(ran["cells"][1])


def test_its_death_at_a_limit_is_told_in_the_cell(jupyter, wrapped, control_group):
    group = control_group(memory=400 << 20)
    jupyter.holdfast = jupyter.holdfast.inside(group.inside)
    code = "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * (8 << 20))"
    ran = jupyter.notebook(code, kernel=wrapped[1])
    assert "HF101 cgroup-oom" in words(ran["cells"][0])
    assert "cell [1], line 3" in words(ran["cells"][0])
