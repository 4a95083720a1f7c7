"""Fixtures of the end-to-end tests. Unit tests lie beside the code they test."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.agent_alone import library, watch  # noqa: F401
from support.cgroup import ControlGroup
from support.jupyter import jupyter  # noqa: F401
from support.run import PATIENCE, ROOT, Holdfast

# Left to `make check`: notebooks, frameworks, and the proofs of the guard's list of code that
# survives a refusal.
LEFT_TO_CHECK = (
    "test_kernel_",
    "test_jupyter_",
    "test_fit",
    "test_frameworks",
    "test_loader_frameworks",
    "test_server",
    "test_survivors",
)
# Their tests share programs that are run once, so one process of pytest takes them all.
TOGETHER = ("test_jupyter_server", "test_leaks", "test_python_stacks", "test_stalls", "test_zoo")
OWN_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items):
    """Marks tests that only `make check` runs: these, and every interpreter but our own."""
    for item in items:
        if item.path.stem in TOGETHER:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        version = getattr(item, "callspec", None) and item.callspec.params.get("version")
        if item.path.name.startswith(LEFT_TO_CHECK) or version not in (None, OWN_VERSION):
            item.add_marker(pytest.mark.check)


@pytest.fixture(scope="session")
def binary() -> Path:
    path = Path(os.environ.get("HOLDFAST_BIN") or ROOT / "build/release/cli/holdfast")
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} is not there: run `make build`, or set HOLDFAST_BIN")
    return path.resolve()


@pytest.fixture(autouse=True)
def patience():
    """A test that hangs fails."""

    def give_up(*_):
        raise TimeoutError("the test hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(2 * int(PATIENCE))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def holdfast(binary, tmp_path):
    program = Holdfast(binary, tmp_path / "home")
    yield program
    program.end_all()


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler, for programs that cannot be written in Python."""
    found = shutil.which("cc") or shutil.which("gcc")
    if not found:
        pytest.skip("no C compiler on this machine")
    return found


@pytest.fixture
def control_group():
    """Makes control groups with limits: control_group(memory=..., pids=...)."""
    made = []

    def make(**limits: int) -> ControlGroup:
        made.append(ControlGroup(**limits))
        return made[-1]

    yield make
    for group in made:
        group.remove()


@pytest.fixture
def small_disk(tmp_path):
    """Mounts an empty file system of a few MiB and returns where."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    folder = tmp_path / "small disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def public_folder():
    """A folder that everybody may use; pytest's own are closed to other users."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-test-"))
    folder.chmod(0o1777)  # like /tmp: without the sticky bit no run would be kept in it
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def as_nobody(binary, public_folder) -> Holdfast:
    """The program under test, run by a user without rights."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("running as another user needs root and setpriv(1)")
    own = public_folder / "holdfast"
    shutil.copy(binary, own)
    own.chmod(0o755)
    return Holdfast(
        own,
        public_folder / "home",
        prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
    )
