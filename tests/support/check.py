"""What tests of `holdfast check` share."""

import json
import os
import subprocess
from pathlib import Path

import pytest

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts")


def ask(binary, *arguments, cwd=None, shell=None, environment=None):
    """The findings of a call, and the call. `shell`: what the shell does before it."""
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
    """What to put before a command that is to run below mounts of its own."""
    return ["unshare", "-m", "/bin/bash", "-c", f'{make} && exec "$@"', "bash"]


def told(report):
    return {f["code"] for f in report["findings"] if f["severity"] != "note"}


def build_extension(folder: Path, *, whole: bool) -> None:
    """What environment/symbol_missing.py does before it runs."""
    code = "int new_call(void); void *PyInit_codec(void) { return new_call() ? (void *)1 : 0; }"
    if whole:
        code += " int new_call(void) { return 0; }"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(folder / "codec.so")],
        input=code,
        text=True,
        check=True,
    )
