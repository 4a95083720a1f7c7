"""`holdfast check`: what it finds on this machine, on damaged machines, and with bad input."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from support.check import ask, build_extension, needs_root, told, with_mounts
from support.run import PROGRAMS, PYTHON, ROOT, eventually, finish

CODE = re.compile(r"HF\d{3}")
SEVERITIES = ["blocks", "will-hurt", "note"]


def environment_with(folder: Path, *packages: str) -> Path:
    """The files of a virtual environment, without a working Python."""
    site = folder / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.7\n")
    for package in packages:
        name, _, version = package.partition("==")
        info = site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n\n")
    return site


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# The contract


def test_findings_have_code_sentence_evidence_and_fix_worst_first(binary):
    report, answer = ask(binary, "--python", PYTHON)
    assert report["schema"] == 1
    assert answer.returncode == (
        1 if any(f["severity"] == "blocks" for f in report["findings"]) else 0
    )
    order = [SEVERITIES.index(finding["severity"]) for finding in report["findings"]]
    assert order == sorted(order)
    names = subprocess.check_output([binary, "check", "--list"], text=True).split()
    assert len(names) >= 35
    said = {f["check"] for f in report["findings"]} | {i["check"] for i in report["impossible"]}
    assert said <= set(names)
    assert len(said) + report["fine"] == len(names)
    assert all(item["why"] for item in report["impossible"])


def test_every_check_and_code_is_in_the_documentation(binary):
    page = (ROOT / "docs/check.md").read_text()
    names = subprocess.check_output([binary, "check", "--list"], text=True).split()
    assert [name for name in names if f"`{name}`" not in page] == []


def test_every_code_of_a_check_has_its_page(binary):
    codes = set(CODE.findall((ROOT / "docs/check.md").read_text()))
    pages = [subprocess.run([binary, "explain", code], capture_output=True) for code in codes]
    assert all(page.returncode == 0 and len(page.stdout) > 400 for page in pages)


def test_every_healthy_root_says_whether_it_is_real():
    """Ten or more; a machine that was not available is reconstructed, and says so."""
    healthy = 0
    for file in (ROOT / "src/check/roots").iterdir():
        for root in re.split(r"(?m)^root ", file.read_text()):
            if "\nexpect healthy\n" in root:
                assert "\n# Real: " in root or "\n# Reconstructed: " in root, file
                healthy += 1
    assert healthy >= 10


@pytest.mark.parametrize(
    "arguments",
    [
        ["--python", "/no/such/python"],
        ["--python", ""],
        ["--for", "caffe"],
        ["--root", "/no/such/folder"],
        ["--import-limit", "soon"],
        ["--unknown"],
        ["word"],
        ["--root", ".", "--import"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_status_2(binary, arguments):
    report, answer = ask(binary, *arguments)
    assert answer.returncode == 2, answer
    assert report is None
    assert len(answer.stderr.splitlines()) == 1


def test_text_says_what_json_says(binary, tmp_path):
    shell = "ulimit -n 200"
    report, _ = ask(binary, "--python", PYTHON, shell=shell)
    assert "HF502" in told(report)
    text = subprocess.run(
        ["/bin/bash", "-c", f'{shell} && exec "$@"', "bash", binary, "check", "--python", PYTHON],
        capture_output=True,
        text=True,
        check=False,
    )
    assert text.returncode == 0
    words = " ".join(text.stdout.split())
    for finding in report["findings"]:
        assert finding["code"] in words
        assert " ".join(finding["summary"].split()) in words
    assert f"{report['fine']} checks fine" in words


# Nothing of the environment runs


def test_no_framework_is_imported_and_no_python_is_started(binary, tmp_path):
    site = environment_with(tmp_path / "env", "torch==2.1.0", "tensorflow==2.15.0", "numpy==2.1.0")
    mark = tmp_path / "was-run"
    python = program(tmp_path / "env/bin/python", f"#!/bin/sh\ntouch {mark}\n")
    for package in ("torch", "tensorflow", "numpy"):
        (site / package).mkdir()
        (site / package / "__init__.py").write_text(f"open({str(mark)!r}, 'w')")
    report, answer = ask(binary, "--python", str(python))
    assert answer.returncode == 1  # TensorFlow 2.15 cannot be imported beside NumPy 2
    blocking = [f for f in report["findings"] if f["severity"] == "blocks"]
    assert [f["code"] for f in blocking] == ["HF408"]
    assert not mark.exists()


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_no_network_is_used_and_no_program_started(binary, tmp_path):
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-e", "trace=execve,network", "-o", str(trace)]
    subprocess.run(
        [*command, str(binary), "check", "--python", PYTHON, "--record", str(tmp_path / "kept")],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    text = trace.read_text()
    assert text.count("execve(") == 1  # only itself
    assert "socket(" not in text and "connect(" not in text


def test_a_python_that_hangs_or_crashes_at_its_start_holds_nobody_up(binary, tmp_path):
    """It is not started at all; --import starts it, with a limit (below)."""
    environment_with(tmp_path / "env", "numpy==2.1.0")
    for line in ("exec sleep 1000", "kill -SEGV $$"):
        python = program(tmp_path / "env/bin/python", f"#!/bin/sh\n{line}\n")
        report, answer = ask(binary, "--python", str(python))
        assert answer.returncode == 0
        assert report["python"] == {"program": str(python), "version": "3.11", "frameworks": []}


def test_a_python_that_hangs_or_fails_at_import_is_told(binary, tmp_path):
    environment_with(tmp_path / "env", "torch==2.9.0", "numpy==2.1.0")
    python = program(tmp_path / "env/bin/python", "#!/bin/sh\nexec sleep 1000\n")
    arguments = ["--python", str(python), "--import", "--import-limit", "1"]
    report, answer = ask(binary, *arguments)
    assert answer.returncode == 0
    (why,) = [i["why"] for i in report["impossible"] if i["check"] == "framework-import"]
    assert "did not end within 1 s" in why

    # These end by themselves, so the usual limit is enough.
    arguments = ["--python", str(python), "--import"]
    program(python, "#!/bin/sh\necho 'ImportError: libfoo.so: nothing' >&2\nexit 1\n")
    report, answer = ask(binary, *arguments)
    assert answer.returncode == 1
    assert any("libfoo.so" in f["summary"] for f in report["findings"])

    program(python, "#!/bin/sh\nkill -SEGV $$\n")
    report, answer = ask(binary, *arguments)
    assert any("signal 11" in f["summary"] for f in report["findings"])

    program(python, "#!/bin/sh\nexit 0\n")
    _, answer = ask(binary, *arguments)
    assert answer.returncode == 0


# Records


def test_a_record_says_the_same_elsewhere_and_holds_no_names_and_no_secrets(binary, tmp_path):
    home = tmp_path / "home/alice-liddell"
    work = home / "wonderland-project"
    work.mkdir(parents=True)
    environment = {
        "HOME": str(home),
        "OPENAI_API_KEY": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
        "PYTHONPATH": "/srv/token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "LD_LIBRARY_PATH": str(home / "lib"),
    }
    kept = tmp_path / "kept"
    report, _ = ask(
        binary, "--python", PYTHON, "--record", str(kept), cwd=work, environment=environment
    )
    text = (kept / "check.root").read_text()
    for secret in ("alice", "wonderland", "sk-proj", "ghp_", os.uname().nodename + "."):
        assert secret not in text, secret
    again, answer = ask(binary, "--python", PYTHON, "--root", str(kept))
    assert {f["code"] for f in again["findings"]} == {f["code"] for f in report["findings"]}
    assert again["fine"] == report["fine"]
    assert answer.returncode == 0


@pytest.mark.parametrize("what", ["empty", "binary", "huge", "fifo", "loop", "folders", "nothing"])
def test_a_hostile_root_never_crashes_and_never_blocks(binary, tmp_path, what):
    root = tmp_path / "root"
    names = ["proc/meminfo", "proc/self/limits", "proc/self/cgroup", "proc/self/mountinfo"]
    names += ["proc/cpuinfo", "sys/module/nvidia/version", "etc/ld.so.cache", "usr/bin/python3"]
    names += ["usr/lib/python3/dist-packages/torch-2.1.0.dist-info/METADATA", "dev/nvidia0"]
    root.mkdir()
    for name in names if what != "nothing" else []:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if what == "empty":
            path.touch()
        elif what == "binary":
            path.write_bytes(bytes(range(256)) * 64)
        elif what == "huge":
            path.write_bytes(b"MemTotal: 1 kB\n" * 700_000)
        elif what == "fifo":
            os.mkfifo(path)
        elif what == "loop":
            path.symlink_to(path.name)
        else:
            path.mkdir()
    report, answer = ask(binary, "--root", str(root))
    assert answer.returncode == 0, answer.stderr
    assert not any(f["severity"] == "blocks" for f in report["findings"])


def test_an_environment_full_of_traps_is_judged_by_what_is_left(binary, tmp_path):
    """METADATA of 10 MB, libraries cut short, links in a circle, a folder in a file's place."""
    site = environment_with(tmp_path / "env", "torch==2.1.0", "pandas==2.1.0", "numpy==1.26.0")
    python = program(tmp_path / "env/bin/python", "#!/bin/sh\n")
    metadata = "Name: torch\nVersion: 2.1.0\n" + "Requires-Dist: numpy (>=1.2)\n" * 350_000
    (site / "torch-2.1.0.dist-info/METADATA").write_text(metadata)
    libraries = site / "torch/lib"
    libraries.mkdir(parents=True)
    whole = Path(sys.executable).resolve().read_bytes()
    for i, name in enumerate(("libtorch_cpu.so", "libtorch_python.so", "libc10.so")):
        (libraries / name).write_bytes(whole[: 10 + 700 * i])
    (site / "torch/version.py").mkdir()
    (site / "pandas").symlink_to("pandas")
    (site / "numpy").symlink_to("loop-a")
    (site / "loop-a").symlink_to("loop-b")
    (site / "loop-b").symlink_to("loop-a")
    (site / "nvidia").mkdir()
    (site / "nvidia/cudnn").symlink_to("..")
    report, answer = ask(binary, "--python", str(python), cwd=tmp_path)
    assert answer.returncode == 0, report
    assert report["python"]["frameworks"] == ["torch 2.1.0"]
    (tmp_path / "env/bin/python3").symlink_to("python3")
    _, answer = ask(binary, "--python", str(tmp_path / "env/bin/python3"))
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 1


def test_an_environment_without_the_systems_libraries_blocks_nothing(binary, tmp_path):
    """A tree of the environment alone: a missing libc there says nothing about the machine."""
    site = tmp_path / "env/lib/python3.11/site-packages"
    (site / "numpy/core").mkdir(parents=True)
    (site / "numpy-1.26.0.dist-info").mkdir()
    (tmp_path / "env/pyvenv.cfg").write_text("version = 3.11.2\n")
    (tmp_path / "env/bin").mkdir()
    shutil.copy(sys.executable, tmp_path / "env/bin/python")
    shutil.copy(sys.executable, site / "numpy/core/_multiarray_umath.so")
    report, answer = ask(binary, "--root", str(tmp_path), "--python", "/env/bin/python")
    assert answer.returncode == 0
    assert "HF411" not in told(report)


@needs_root
@pytest.mark.parametrize("answers", ["hang\n", "gpu 0 lost=1 name=NVIDIA H200\n"], ids=repr)
def test_a_driver_that_hangs_is_not_possible_and_one_that_answers_is_judged(
    binary, tmp_path, answers
):
    stub = binary.parents[1] / "src/check/libcheck_nvml_stub.so"
    if not stub.exists():
        pytest.skip("the stub of NVIDIA's library is not built; make unit builds it")
    (tmp_path / "libnvidia-ml.so.1").symlink_to(stub)
    (tmp_path / "answers").write_text(answers)
    # Its own /dev, with a file in place of a GPU's node.
    make = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && touch /dev/nvidia0"
    ran = subprocess.run(
        [*with_mounts(make), str(binary), "check", "--json", "--python", PYTHON],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {
            "LD_LIBRARY_PATH": str(tmp_path),
            "HOLDFAST_NVML_RECORD": str(tmp_path / "answers"),
        },
    )
    if not ran.stdout and "unshare" in ran.stderr:
        pytest.skip("mounts are not allowed here")
    report = json.loads(ran.stdout)
    if answers == "hang\n":
        assert not any(f["severity"] == "blocks" for f in report["findings"])
        whys = {i["check"]: i["why"] for i in report["impossible"]}
        assert "did not answer" in whys["gpu-ecc"]
    else:
        assert [f["code"] for f in report["findings"] if f["severity"] == "blocks"] == ["HF801"]


def test_a_tree_of_another_machine_is_judged_by_its_files(binary, tmp_path):
    site = "env/lib/python3.11/site-packages"
    mounts = "25 1 0:23 / /dev/shm rw - tmpfs shm rw,size=65536k\n"
    for name, text in {
        "proc/self/mountinfo": mounts,
        "proc/sys/vm/max_map_count": "4096\n",
        "sys/module/nvidia/version": "470.256.02\n",
        "dev/nvidia0": "",
        "env/pyvenv.cfg": "version = 3.11.2\n",
        "env/bin/python": "",
        f"{site}/torch-2.9.0.dist-info/METADATA": "Name: torch\nVersion: 2.9.0\n",
        f"{site}/torch/version.py": "__version__ = '2.9.0'\ncuda = '12.8'\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report, answer = ask(binary, "--root", str(tmp_path), "--python", "/env/bin/python")
    assert answer.returncode == 1
    assert {"HF113", "HF108", "HF404"} <= told(report)


# Before a run


def test_a_run_keeps_what_was_found_and_the_verdict_quotes_it(holdfast):
    code = "files = [open('/dev/null') for _ in range(300)]"
    command = ["/bin/bash", "-c", 'ulimit -n 200; exec "$@"', "bash", str(holdfast.binary)]
    answer = subprocess.run(
        [*command, "run", "--", PYTHON, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=holdfast.environment,
    )
    assert answer.returncode == 1
    verdict = json.loads(
        subprocess.check_output([holdfast.binary, "why", "--json"], env=holdfast.environment)
    )
    assert verdict["root"]["code"] == "HF502"
    assert "HF502" in verdict["foretold"]
    quoted = [e for e in verdict["root"]["evidence"] if e["source"] == "foretold by check"]
    assert "200 files" in quoted[0]["text"]


def test_the_page_of_a_death_quotes_what_was_foretold(holdfast, tmp_path):
    """An import that fails, HF411; the library was gone before the start."""
    build_extension(tmp_path, whole=False)
    code = "import sys; sys.path.insert(0, '.'); import codec"
    ran = holdfast.run(PYTHON, "-c", code, cwd=tmp_path)
    assert ran.returncode == 1
    verdict = holdfast.why()
    assert verdict["root"]["code"] == "HF411"
    assert verdict["foretold"] == ["HF411"]
    page = " ".join(holdfast.call("why").stdout.split())
    assert "foretold by check codec.so needs the symbol new_call" in page


@needs_root
def test_a_full_shared_memory_quotes_its_size(holdfast, tmp_path):
    code = (
        "from multiprocessing.shared_memory import SharedMemory\n"
        "kept = SharedMemory(create=True, size=32 << 20)\n"
        "for i in range(0, 32 << 20, 4096): kept.buf[i] = 1\n"
    )
    inside = with_mounts("mount -t tmpfs -o size=8M none /dev/shm")
    ran = holdfast.inside(lambda *line: [*inside, *line]).run(PYTHON, "-c", code)
    if b"unshare" in ran.stderr:
        pytest.skip("mounts are not allowed here")
    verdict = holdfast.why()
    assert verdict["root"]["code"] == "HF113"
    assert "HF113" in verdict["foretold"]
    quoted = [e["text"] for e in verdict["root"]["evidence"] if e["source"] == "foretold by check"]
    assert "/dev/shm has 8 MiB" in quoted[0]


def test_the_record_of_a_run_holds_no_secret(holdfast):
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    more = {"GITHUB_TOKEN": secret, "LD_LIBRARY_PATH": f"/srv/token={secret}/lib"}
    wait = str(PROGRAMS / "wait.py")
    running, pid = holdfast.start_ready(PYTHON, wait, env=holdfast.environment | more)
    (run,) = holdfast.runs()
    eventually("the check is recorded", (run / "check.json").exists)
    os.kill(pid, signal.SIGKILL)
    finish(running)
    assert json.loads((run / "check.json").read_text())["fine"] > 10
    assert secret not in (run / "check.json").read_text()


def test_a_run_that_ends_well_prints_nothing_about_it(holdfast):
    command = ["/bin/bash", "-c", 'ulimit -n 200; exec "$@"', "bash", str(holdfast.binary)]
    answer = subprocess.run(
        [*command, "run", "--", PYTHON, "-c", "import time; time.sleep(0.3)"],
        capture_output=True,
        text=True,
        check=False,
        env=holdfast.environment,
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_a_finding_that_blocks_is_said_in_one_line_at_the_start(holdfast, tmp_path):
    environment_with(tmp_path / "env", "tensorflow==2.15.0", "numpy==2.1.0")
    # It lives until its input ends.
    python = program(tmp_path / "env/bin/python", "#!/bin/sh\nexec cat\n")
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = holdfast.start(str(python), **pipes)
    line = running.stderr.readline()
    assert line.startswith("holdfast: tensorflow 2.15.0 was built for NumPy 1")
    assert "HF408" in line
    _, rest = finish(running)
    assert (running.returncode, rest) == (0, "")

    quiet = holdfast.start(str(python), options=["--quiet"], stdout=subprocess.PIPE, **pipes)
    eventually("it is recorded", lambda: len(holdfast.runs()) == 2)
    eventually("the check is recorded", (holdfast.runs()[-1] / "check.json").exists)
    assert finish(quiet) == ("", "")
    assert quiet.returncode == 0


# From Python


def test_the_package_gives_typed_values(binary):
    code = (
        "import holdfast; c = holdfast.check(); assert c.schema == 1 and c.fine > 10;"
        "assert all(f.code.startswith('HF') for f in c.findings); print(c.blocks)"
    )
    environment = {**os.environ, "HOLDFAST_BIN": str(binary), "PYTHONPATH": str(ROOT / "python")}
    answer = subprocess.run(
        [PYTHON, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert answer.stdout.strip() in ("True", "False"), answer.stderr
