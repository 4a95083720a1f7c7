"""The agent is loaded into every process of the tree, and nobody notices."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.interpreters import each, need
from support.run import PATIENCE, PYTHON

# How many mappings of the agent a process sees in itself; 0 if it is not loaded.
LOADED = "grep -c libholdfast_agent /proc/self/maps"


@pytest.fixture
def output_of(holdfast):
    """What a command prints when watched; it must end well."""

    def run(*command, **how):
        ended = holdfast.run(*map(str, command), text=True, **how)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_the_program_has_it_and_does_not_see_it(output_of):
    told = output_of(
        "sh", "-c", f"{LOADED}; env | grep -c -e LD_PRELOAD -e HOLDFAST_RUN -e HOLDFAST_F; true"
    )
    loaded, visible = told.split()
    assert int(loaded) > 0
    assert int(visible) == 0


def test_without_the_agent_nothing_is_loaded(output_of):
    assert output_of("sh", "-c", f"{LOADED}; true", options=["--no-agent"]) == "0\n"


def test_the_users_own_preload_stays(output_of, holdfast):
    mine = next(Path("/lib").glob("*-linux-gnu/libm.so.6"))
    environment = holdfast.environment | {"LD_PRELOAD": str(mine)}
    told = output_of("sh", "-c", f"echo $LD_PRELOAD; {LOADED}", env=environment)
    assert told.splitlines()[0] == str(mine)
    assert int(told.splitlines()[1]) > 0


WAYS = {
    "subprocess": "import subprocess; subprocess.run(['sh', '-c', %r])",
    "no environment": "import subprocess; subprocess.run(['/bin/sh', '-c', %r], env={})",
    "shell": "import subprocess; subprocess.run(%r, shell=True)",
    "system": "import os; os.system(%r)",
    "popen": "import os; print(os.popen(%r).read(), end='')",
    "exec": "import os; os.execvp('sh', ['sh', '-c', %r])",
    "execl": "import os; os.execl('/bin/sh', 'sh', '-c', %r)",
    "spawn": "import os; os.waitpid(os.posix_spawn('/bin/sh', ['sh', '-c', %r], {}), 0)",
    "spawnp": "import os; os.waitpid(os.posix_spawnp('sh', ['sh', '-c', %r], os.environ), 0)",
    "fork and exec": "import os; pid = os.fork()\n"
    "pid or os.execv('/bin/sh', ['sh', '-c', %r]); os.waitpid(pid, 0)",
}


@pytest.mark.parametrize("way", WAYS)
def test_children_have_it_however_they_are_started(output_of, way):
    script = f"{LOADED}; env | grep -c -e LD_PRELOAD -e HOLDFAST_RUN -e HOLDFAST_F; true"
    loaded, visible = output_of(PYTHON, "-c", WAYS[way] % script).split()
    assert int(loaded) > 0
    assert int(visible) == 0


def test_c_programs_calling_system_and_popen_hand_it_on(output_of, tmp_path, compiler):
    source = tmp_path / "shell.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        f'int main(void) {{ int status = system("{LOADED}; exit 3");\n'
        f'FILE *f = popen("{LOADED}", "r"); char line[99]; fputs(fgets(line, 99, f), stdout);\n'
        'printf("%d %d\\n", status >> 8, pclose(f)); return getenv("LD_PRELOAD") != 0; }\n'
    )
    program = tmp_path / "shell"
    subprocess.run([compiler, str(source), "-o", str(program)], check=True)
    told = output_of(program).split()
    assert int(told[0]) > 0
    assert int(told[1]) > 0
    assert told[2:] == ["3", "0"]


@each()
def test_every_python_can_have_it(output_of, version):
    told = output_of(need(version), "-c", "print(open('/proc/self/maps').read())")
    assert "libholdfast_agent" in told


@pytest.mark.parametrize("flags", [["-I"], ["-E"], ["-S"], ["-I", "-S", "-B"]])
def test_isolated_interpreters_too(output_of, flags):
    told = output_of(PYTHON, *flags, "-c", "print(open('/proc/self/maps').read())")
    assert "libholdfast_agent" in told


def test_a_static_program_is_left_alone_and_hands_it_on(output_of, tmp_path, compiler):
    source = tmp_path / "hand_on.c"
    source.write_text(
        "#include <unistd.h>\nextern char **environ;\n"
        "int main(int n, char **v) { return execve(v[1], v + 1, environ); }\n"
    )
    program = tmp_path / "hand_on"
    built = subprocess.run([compiler, "-static", str(source), "-o", str(program)], check=False)
    if built.returncode:
        pytest.skip("no static libc on this machine")
    assert int(output_of(program, "/bin/sh", "-c", LOADED)) > 0


def test_a_sanitized_program_runs_as_without(holdfast, tmp_path, compiler):
    source = tmp_path / "sanitized.c"
    source.write_text('#include <stdio.h>\nint main(void) { puts("fine"); return 0; }\n')
    program = tmp_path / "sanitized"
    built = subprocess.run(
        [compiler, "-fsanitize=address", str(source), "-o", str(program)], check=False
    )
    if built.returncode:
        pytest.skip("no address sanitizer on this machine")
    for command in [[str(program)], ["sh", "-c", str(program)]]:
        ended = holdfast.run(*command, text=True)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "fine\n", "")


def test_a_library_in_a_folder_with_spaces_is_loaded(binary, tmp_path):
    agent = binary.parent.parent / "agent" / "libholdfast_agent.so"
    folder = tmp_path / "a folder: ü $HOME"
    (folder / "bin").mkdir(parents=True)
    (folder / "libexec/holdfast").mkdir(parents=True)
    shutil.copy(binary, folder / "bin")
    shutil.copy(agent, folder / "libexec/holdfast")
    ended = subprocess.run(
        [
            str(folder / "bin/holdfast"),
            "run",
            "--",
            "sh",
            "-c",
            "grep -c /libexec/holdfast/ /proc/self/maps",
        ],
        env=os.environ | {"HOLDFAST_HOME": str(tmp_path / "home ü")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > 0


def test_a_supervised_run_inside_another_keeps_its_own_record(holdfast, tmp_path):
    inner = tmp_path / "inner"
    crash = "import os; os.kill(os.getpid(), 11)"
    line = f"HOLDFAST_HOME={inner} {holdfast.binary} run --quiet -- {PYTHON} -c '{crash}'"
    holdfast.run("sh", "-c", f"{line}; true")
    answer = subprocess.run(
        [str(holdfast.binary), "why"],
        env=os.environ | {"HOLDFAST_HOME": str(inner)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "segfault" in answer.stdout


def test_a_read_only_box_harms_nobody(holdfast, tmp_path):
    # The run's directory disappears while the program runs: its next processes find no box.
    script = f"rm -rf {holdfast.home}/runs/*/*.box; {PYTHON} -c 'print(sum(range(10**6)))'"
    ended = holdfast.run("sh", "-c", script, text=True)
    assert (ended.returncode, ended.stdout) == (0, "499999500000\n")
