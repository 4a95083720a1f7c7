"""A kernel dies in a user's server of a real JupyterHub whose image has our one line."""

import subprocess

import pytest

from support.jupyter import PYTHON, Jupyter, panel, require, words
from support.run import ROOT, eventually

PROXY = ROOT / "lab/node_modules/.bin/configurable-http-proxy"


def make_image(folder) -> None:
    """An environment with all packages of PYTHON, and its own kernelspec as pip makes it."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder], check=True)
    question = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = subprocess.check_output([PYTHON, "-c", question], text=True).strip()
    own = subprocess.check_output([folder / "bin/python", "-c", question], text=True).strip()
    (folder / own / "packages.pth").write_text(theirs + "\n")
    install = [folder / "bin/python", "-m", "ipykernel", "install", "--sys-prefix"]
    subprocess.run(install, check=True, capture_output=True)


@pytest.fixture
def hub(holdfast, tmp_path):
    require("ipykernel", "jupyterhub", "notebook")
    if not PROXY.exists():
        pytest.skip(f"no {PROXY.name}: `make lab` installs it")
    image = tmp_path / "image"
    make_image(image)
    jupyter = Jupyter(holdfast, tmp_path)
    jupyter.more = {
        "VIRTUAL_ENV": str(image),
        "IMAGE": str(image),
        "PROXY": str(PROXY),
    }
    # The line of docs/jupyter.md.
    made = jupyter.kernel("install", "--from", "python3", "--name", "python3", "--sys-prefix")
    assert made.returncode == 0, made.stderr
    hub = jupyter.front_end("hub.py")
    yield hub
    hub.finish()


def test_the_cell_says_why_and_a_new_kernel_comes(hub, holdfast):
    hub.do("start", kernel="python3")
    said = hub.do("run", code="import ctypes\nctypes.string_at(0)")
    assert " segfault: " in words(said["outputs"])
    assert "cell [2], line 2" in words(said["outputs"])
    assert "holdfast-verdict" in panel(said["outputs"])
    eventually("the restart", lambda: len(holdfast.runs()) == 2)
    assert "alive again" in str(hub.do("run", code="print('alive again')"))
    hub.do("shutdown")
    assert holdfast.why()["root"]["slug"] == "shut-down"
