"""`pip install .` builds the extension for JupyterLab where npm is, and never fails for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.run import ROOT

DRIVER = """\
set(HOLDFAST_LAB ON)
include({module})
holdfast_lab_extension({source} found)
message(STATUS "found: ${{found}}")
"""
# As npm does in lab/: `install` brings packages, `run bundle` writes the bundle.
NPM = """\
#!/bin/sh
echo "$@" >>calls
case "$*" in
    "install "*) {install} ;;
    *"run --silent bundle"*) {bundle} ;;
esac
"""
INSTALLS = "mkdir -p lab/node_modules"
MADE = "python/holdfast/labextension"
BUNDLES = f"mkdir -p {MADE} && echo {{}} >{MADE}/package.json"
FAILS = "echo the registry does not answer >&2; exit 1"


class Checkout:
    """What the CMake file and tools/lab read, and a PATH that has what is put there."""

    def __init__(self, folder: Path):
        self.folder = folder / "checkout"
        self.commands = folder / "bin"
        (self.folder / "lab").mkdir(parents=True)
        (self.folder / "tools").mkdir()
        self.commands.mkdir()
        shutil.copy(ROOT / "tools/lab", self.folder / "tools")
        shutil.copy(ROOT / "lab/package-lock.json", self.folder / "lab")
        for name in ("bash", "sh", "cmp", "cp", "rm", "mkdir", "cat", "dirname", "sort", "head"):
            (self.commands / name).symlink_to(shutil.which(name))

    @property
    def bundle(self) -> Path:
        return self.folder / MADE / "package.json"

    @property
    def calls(self) -> str:
        file = self.folder / "calls"
        return file.read_text() if file.exists() else ""

    def command(self, name: str, text: str) -> None:
        (self.commands / name).write_text(text)
        (self.commands / name).chmod(0o755)

    def npm(self, install: str = INSTALLS, bundle: str = BUNDLES) -> None:
        self.command("npm", NPM.format(install=install, bundle=bundle))
        self.command("node", "#!/bin/sh\necho v22.1.0\n")

    def configure(self) -> str:
        driver = self.folder / "driver.cmake"
        module = ROOT / "cmake/HoldfastLabExtension.cmake"
        driver.write_text(DRIVER.format(module=module, source=self.folder))
        cmake = shutil.which("cmake") or str(Path(sys.executable).parent / "cmake")
        ended = subprocess.run(
            [cmake, "-P", driver],
            env=os.environ | {"PATH": str(self.commands)},
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout + ended.stderr


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_with_npm_a_missing_bundle_is_built(checkout):
    checkout.npm()
    assert f"found: {checkout.bundle.parent}" in checkout.configure()
    assert "run --silent compile" in checkout.calls


def test_a_bundle_that_is_there_is_taken_and_npm_is_not_called(checkout):
    checkout.npm()
    checkout.bundle.parent.mkdir(parents=True)
    checkout.bundle.write_text("{}")
    assert f"found: {checkout.bundle.parent}" in checkout.configure()
    assert checkout.calls == ""


def test_without_npm_nothing_is_tried_and_one_line_says_what_is_missing(checkout):
    said = checkout.configure()
    assert "npm is not installed; `make lab-build` makes it" in said
    assert "found: \n" in said


def test_an_npm_that_fails_is_no_reason_to_fail_and_says_why(checkout):
    checkout.npm(install=FAILS)
    said = checkout.configure()
    assert "the registry does not answer" in said
    assert "everything else is in it" in said
    assert "found: \n" in said


def test_a_node_that_is_too_old_is_named(checkout):
    checkout.npm()
    checkout.command("node", "#!/bin/sh\necho v18.20.4\n")
    assert "Node.js is v18.20.4, 20 or newer is needed" in checkout.configure()


def test_half_a_bundle_is_not_shipped(checkout):
    checkout.npm(bundle=BUNDLES + "; " + FAILS)
    assert "found: \n" in checkout.configure()
    assert not checkout.bundle.exists()
