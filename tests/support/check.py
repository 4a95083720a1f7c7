"""Shared by the tests of `holdfast check`."""

import json
import os
import subprocess
from pathlib import Path

import pytest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts")


def ask(binary, *arguments, cwd=None, shell=None, environment=None):
    """The findings of a call, and the call. `shell`: shell commands to run before it."""
    command = [str(binary), "check", "--json", *arguments]
    if shell:
        command = ["/bin/bash", "-c", f'{shell} && exec "$@"', "bash", *command]
    answer = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
    )
    return (json.loads(answer.stdout) if answer.stdout else None), answer


def with_mounts(make: str) -> list[str]:
    """The beginning of a command line that runs a command below its own mounts."""
    return ["unshare", "-m", "/bin/bash", "-c", f'{make} && exec "$@"', "bash"]


def told(report):
    return {f["code"] for f in report["findings"] if f["severity"] != "note"}


def build_extension(folder: Path, *, whole: bool) -> None:
    """Does what environment/symbol_missing.py does before it runs."""
    code = "int new_call(void); void *PyInit_codec(void) { return new_call() ? (void *)1 : 0; }"
    if whole:
        code += " int new_call(void) { return 0; }"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(folder / "codec.so")],
        input=code,
        text=True,
        check=True,
    )
