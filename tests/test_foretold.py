"""Deaths of the zoo that `holdfast check` names before the start; the fault is really made."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.check import ask, build_extension, needs_root, told, with_mounts
from support.run import PYTHON, ROOT

ZOO_LIMITS = {
    "limits/cpu_time.py": ("ulimit -St 2", "HF504"),
    "limits/cpu_time_hard.py": ("ulimit -t 2", "HF504"),
    "limits/file_size.py": ("ulimit -f 2000", "HF505"),
    "limits/file_size_array.py": ("ulimit -f 20000", "HF505"),
    "limits/loader_files.py": ("ulimit -n 200", "HF502"),
    "limits/open_files.py": ("ulimit -n 128", "HF502"),
    "limits/sockets.py": ("ulimit -n 100", "HF502"),
}


@pytest.mark.parametrize("name", ZOO_LIMITS)
def test_a_limit_that_kills_is_foretold(binary, name):
    assert (ROOT / "zoo/programs" / name).exists()
    shell, code = ZOO_LIMITS[name]
    report, _ = ask(binary, "--python", PYTHON, shell=shell)
    assert code in told(report)


ZOO_MOUNTS = {
    "limits/disk_full_checkpoint.py": ("24M", "work", "HF503"),
    "limits/disk_full_checkpoint_class.py": ("10M", "work", "HF503"),
    "limits/disk_full_safetensors.py": ("16M", "work", "HF503"),
    "limits/disk_full_savez.py": ("20M", "work", "HF503"),
    "limits/disk_full_sqlite.py": ("4M", "work", "HF503"),
    "limits/disk_full_tar.py": ("12M", "work", "HF503"),
    "limits/disk_full_torch.py": ("10M", "work", "HF503"),
    "limits/disk_full_write.py": ("8M", "work", "HF503"),
    "limits/disk_full_zip.py": ("12M", "work", "HF503"),
    "limits/memmap_full.py": ("10M", "work", "HF113"),
    "limits/tmpfs_mapping.py": ("8M", "work", "HF113"),
    "workers/shm_files.py": ("16M", "/dev/shm", "HF113"),
    "workers/shm_full.py": ("16M", "/dev/shm", "HF113"),
    "workers/shm_shared_memory.py": ("8M", "/dev/shm", "HF113"),
}


@needs_root
@pytest.mark.parametrize("name", ZOO_MOUNTS)
def test_a_small_disk_or_shared_memory_is_foretold(binary, tmp_path, name):
    assert (ROOT / "zoo/programs" / name).exists()
    size, place, code = ZOO_MOUNTS[name]
    where = tmp_path if place == "work" else Path(place)
    command = with_mounts(f"mount -t tmpfs -o size={size} none {where} && cd {where}")
    answer = subprocess.run(
        [*command, str(binary), "check", "--json", "--python", PYTHON],
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode != 0 and "unshare" in answer.stderr:
        pytest.skip("mounts are not allowed here")
    assert code in told(json.loads(answer.stdout)), answer.stderr


ZOO_PIDS = {
    "limits/fork_refused.py": 12,
    "limits/openblas_threads.py": 30,
    "limits/threads_of_a_server.py": 60,
    "limits/threads_pids.py": 40,
}


@pytest.mark.parametrize("name", ZOO_PIDS)
def test_few_processes_are_foretold(binary, tmp_path, name):
    """The files of a cgroup v2, because not every machine can make one."""
    assert (ROOT / "zoo/programs" / name).exists()
    group = tmp_path / "sys/fs/cgroup/job"
    group.mkdir(parents=True)
    (group / "pids.max").write_text(f"{ZOO_PIDS[name]}\n")
    (group / "pids.current").write_text("3\n")
    process = tmp_path / "proc/self"
    process.mkdir(parents=True)
    (process / "cgroup").write_text("0::/job\n")
    (process / "mountinfo").write_text("30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    report, _ = ask(binary, "--root", str(tmp_path))
    assert "HF501" in told(report)


@needs_root
def test_a_users_limit_on_processes_is_foretold(binary):
    """limits/threads_user.py; the limit does not bind root."""
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv")
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/bash", "-c"]
    answer = subprocess.run(
        [*command, f"ulimit -u 60; exec {binary} check --json --python /usr/bin/python3"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    if not answer.stdout:
        pytest.skip(f"another user cannot run it: {answer.stderr.strip()}")
    assert "HF501" in told(json.loads(answer.stdout))


def test_an_extension_that_wants_a_missing_symbol_is_foretold(binary, tmp_path):
    build_extension(tmp_path, whole=False)
    report, answer = ask(binary, "--python", PYTHON, cwd=tmp_path)
    assert "HF411" in told(report)
    assert answer.returncode == 0
    (found,) = [f for f in report["findings"] if f["check"] == "symbols-missing"]
    assert "new_call" in found["summary"] and "`import codec` fails" in found["summary"]
    build_extension(tmp_path, whole=True)
    report, _ = ask(binary, "--python", PYTHON, cwd=tmp_path)
    assert "HF411" not in told(report)


def test_extensions_for_another_python_and_plain_libraries_are_let_be(binary, tmp_path):
    """Nobody imports them; the program that loads a plug-in has the symbols it needs."""
    build_extension(tmp_path, whole=False)
    (tmp_path / "codec.so").rename(tmp_path / "codec.cpython-27-x86_64-linux-gnu.so")
    shutil.copy(tmp_path / "codec.cpython-27-x86_64-linux-gnu.so", tmp_path / "plugin.so")
    report, _ = ask(binary, "--python", PYTHON, cwd=tmp_path)
    assert "HF411" not in told(report)


CODES = {"HF113", *(f"HF4{n:02}" for n in range(1, 14)), *(f"HF5{n:02}" for n in range(1, 6))}
# Their fault exists before the start, but no check reports it: torch for CUDA on a machine without
# a GPU is what most people have, and does no harm until somebody asks for the GPU.
NOT_FORETOLD = {"gpu/no_driver.py"}


def test_nine_in_ten_of_the_zoos_deaths_by_the_environment_are_foretold():
    """By name: each has a twin here or in src/check/roots_test.cc, with the fault made before."""
    catalogue = (ROOT / "src/model/catalogue.h").read_text()
    slugs = dict(re.findall(r'Cause\{\s*"(HF\d+)",\s*"([a-z0-9-]+)"', catalogue))
    wanted = {slugs[code] for code in CODES}
    deaths = set()
    for file in (ROOT / "zoo/programs").rglob("*"):
        said = re.search(r"^# zoo end: (.*)$", file.read_text(), re.M) if file.is_file() else None
        if said and wanted & set(said[1].split()):
            deaths.add(str(file.relative_to(ROOT / "zoo/programs")))
    roots = (ROOT / "src/check/roots_test.cc").read_text()
    twins = set(re.findall(r'\{"([a-z]+/\w+\.\w+)", "', roots))
    twins |= {*ZOO_LIMITS, *ZOO_MOUNTS, *ZOO_PIDS, "limits/threads_user.py"}
    assert deaths - twins == NOT_FORETOLD
    assert len(deaths & twins) >= 0.9 * len(deaths)
