"""Which line launched the kernel that failed on the GPU; launches.c stands for torch and CUDA."""

import subprocess

import pytest

from support.interpreters import each, need
from support.run import PROGRAMS

PROGRAM = PROGRAMS / "launches.py"


@pytest.fixture
def libraries(compiler, tmp_path):
    source = str(PROGRAMS / "launches.c")
    runtime = str(tmp_path / "libcudart.so.13")
    shared = [compiler, "-shared", "-fPIC", source, "-o"]
    subprocess.run([*shared, runtime, "-Wl,-soname,libcudart.so.13"], check=True)
    torch = str(tmp_path / "libtorch_cuda.so")
    subprocess.run([*shared, torch, "-DTORCH", runtime, "-Wl,-rpath,$ORIGIN"], check=True)
    return str(tmp_path)


def verdict_of(holdfast, python, libraries, **environment):
    environment = {**holdfast.environment, **environment}
    return holdfast.verdict_of(python, str(PROGRAM), libraries, env=environment)


@each("3.11", "3.12", "3.14")
def test_an_assertion_names_the_line_that_launched_its_kernel(holdfast, libraries, version):
    verdict = verdict_of(holdfast, need(version), libraries, HOLDFAST_LAUNCHES="1")
    lines = PROGRAM.read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.endswith("# mark: failing"))
    assert verdict["end"]["slug"] == "cuda-assert"
    root = verdict["root"]
    assert (root["slug"], root["confidence"]) == ("bad-label", "certain")
    assert (root["where"]["line"], root["where"]["function"]) == (line, "failing")
    assert any("3 launches since the last wait" in seen["text"] for seen in root["evidence"])


def test_unasked_no_line_is_told(holdfast, libraries):
    root = verdict_of(holdfast, need("3.11"), libraries)["root"]
    assert root["slug"] == "bad-label"
    assert root.get("where") is None
