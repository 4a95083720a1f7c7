"""Python stacks as the agent reads them, compared with the interpreters' own answers."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import interpreters
from support.run import PATIENCE, PROGRAMS, ROOT

READABLE = range(8, 16)
PARTS = sorted((ROOT / "agent/python").glob("*.cc"))
# As in agent/CMakeLists.txt, without the warnings.
FLAGS = [
    *("-std=c++20", "-O2", "-g1", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-exceptions"),
    *("-fno-rtti", "-fno-threadsafe-statics", "-ftls-model=initial-exec", "-D_GNU_SOURCE"),
]
# A program that loads its Python privately, as plug-ins do, and looks during a call that the
# interpreter makes in the middle of a script.
EMBEDDER = r"""
#include <dlfcn.h>
#include <stdio.h>
static int look(void* unused) {
    static char text[65536];
    int seen[7] = {0};
    void (*version)(int*) = (void (*)(int*))dlsym(RTLD_DEFAULT, "probe_version");
    size_t (*own)(char*, size_t) = (size_t (*)(char*, size_t))dlsym(RTLD_DEFAULT, "probe_own");
    version(seen);
    size_t size = own(text, sizeof text);
    printf("%d.%d %.*s", seen[0], seen[1], (int)size, text);
    return 0;
}
int main(int count, char** words) {
    void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 3;
    void (*begin)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
    int (*run)(const char*) = (int (*)(const char*))dlsym(library, "PyRun_SimpleString");
    int (*later)(int (*)(void*), void*) =
        (int (*)(int (*)(void*), void*))dlsym(library, "Py_AddPendingCall");
    int (*end)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
    begin(0);
    later(look, 0);
    int failed = run("\n\nfor _ in range(100): pass\n");
    return end() | failed;
}
"""


PYTHONS = {
    python: int(version.partition(".")[2].rstrip("t"))
    for version in interpreters.VERSIONS
    if (python := interpreters.find(version))
}
every_python = pytest.mark.parametrize("python", [p for p, m in PYTHONS.items() if m >= 8])
readable_python = pytest.mark.parametrize(
    "python", [p for p, m in PYTHONS.items() if m in READABLE]
)


@pytest.fixture(scope="module")
def probe(tmp_path_factory) -> Path:
    """The agent's reader with a test interface; see agent/python/stack_test.cc."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C++ compiler")
    library = tmp_path_factory.mktemp("probe") / "probe.so"
    subprocess.run(
        [compiler, *FLAGS, f"-I{ROOT}", f"-I{ROOT}/src", *PARTS, "-o", library, "-ldl"], check=True
    )
    return library


def run_against(python: str, program: str, probe: Path, *, preload: bool) -> str:
    surroundings = {**os.environ, **({"LD_PRELOAD": str(probe)} if preload else {})}
    ended = subprocess.run(
        [python, PROGRAMS / program, probe],
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, f"{ended.stdout}{ended.stderr}"
    return ended.stdout


@every_python
def test_every_shape_of_stack_is_read_as_python_tells_it(python, probe):
    said = run_against(python, "stack_shapes.py", probe, preload=True)
    assert said.endswith(" 0 wrong\n")


@readable_python
def test_a_library_that_comes_late_finds_the_interpreter(python, probe):
    run_against(python, "stack_shapes.py", probe, preload=False)


@readable_python
def test_every_line_of_the_standard_library_is_decoded(python, probe):
    checked, *_ = run_against(python, "line_tables.py", probe, preload=False).split()
    assert int(checked) > 10_000


@readable_python
def test_a_python_hidden_inside_a_program_is_found(python, probe, tmp_path, compiler):
    where = subprocess.check_output(
        [
            python,
            "-c",
            "import sysconfig as s, sys, os; v = s.get_config_vars(); print(sys.base_prefix,"
            " os.path.join(v['LIBDIR'], v['INSTSONAME']), sep='\\n')",
        ],
        text=True,
    )
    home, library = where.splitlines()
    if ".so" not in Path(library).name or not Path(library).exists():
        pytest.skip("this Python is no shared library")
    source, program = tmp_path / "embedder.c", tmp_path / "embedder"
    source.write_text(EMBEDDER)
    subprocess.run([compiler, "-w", source, "-o", program, "-ldl"], check=True)
    ended = subprocess.run(
        [program, library],
        env={**os.environ, "LD_PRELOAD": str(probe), "PYTHONHOME": home},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    version, _, frames = ended.stdout.partition(" ")
    assert version == f"3.{PYTHONS[python]}"
    # The interpreter chooses where in the script the call comes.
    assert frames in [f"F {line}\t<string>\t<module>\n" for line in (0, 1, 3)]


@readable_python
def test_the_offsets_in_the_tree_are_those_of_the_interpreter(python):
    include = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], text=True
    ).strip()
    if not Path(include, "internal/pycore_gil.h").exists():
        pytest.skip("this Python came without its headers")
    subprocess.run([ROOT / "tools/print-python-offsets", "--check", python], check=True)
