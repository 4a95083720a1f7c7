#!/usr/bin/env python3
"""Has real libraries say what the rows of knowledge/*.txt expect, and writes down what they said.

usage: make.py [NAME...]      all cases, or those named

Each case is a small function in cases/ and runs in a process of its own. What that process wrote to
its stderr becomes NAME.txt here; only the paths of this machine are replaced. A case whose library
is missing, or of another version than the case is about, leaves its file as it stands: run this
again with a Python (and PYTHONPATH) that has the library.
"""

import importlib
import os
import platform
import re
import shutil
import sys
import sysconfig
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # TensorFlow's greetings are no part of what it says
os.environ["CUDA_VISIBLE_DEVICES"] = ""

from cases import Case, all_cases  # noqa: E402


def without_paths(text: str, work: Path) -> str:
    """Where things lie on this machine is nobody's concern."""
    for folder, name in [
        (str(work), "/data/here"),
        (str(HERE), "/data/proofs"),
        (str(HERE.parents[1]), "/data/holdfast"),
        *((path, "/data/lib") for path in os.environ.get("PYTHONPATH", "").split(":") if path),
        (sysconfig.get_path("purelib"), "/data/site-packages"),
        (sysconfig.get_path("stdlib"), "/data/python"),
        (sys.prefix, "/data/venv"),
        (sys.base_prefix, "/data/base"),
        (str(Path.home()), "/data/home"),
    ]:
        text = text.replace(folder, name)
    return re.sub(r"/tmp/\w+", "/data/tmp", text)


def say(case: Case, work: Path, stderr: Path) -> None:
    """In the child: ends as the interpreter would, with the traceback on stderr."""
    file = os.open(stderr, os.O_WRONLY | os.O_CREAT)
    os.dup2(file, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.chdir(work)
    status = 0
    try:
        case.provoke()
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    os._exit(status)


def make(case: Case) -> str:
    """Runs it; the answer is what went wrong, or nothing."""
    try:
        for module in case.modules:
            importlib.import_module(module)
    except ImportError as error:
        return f"not made here: {error}"
    if not case.here():
        return f"not made here: it needs another {' and '.join(filter(None, case.wants))}"
    folder = Path(tempfile.mkdtemp())
    work, stderr = folder / "work", folder / "stderr"
    work.mkdir()
    try:
        child = os.fork()
        if child == 0:
            say(case, work, stderr)
        os.waitpid(child, 0)
        said = without_paths(stderr.read_text(errors="replace"), work).rstrip()
    finally:
        shutil.rmtree(folder)
    if not said:
        return "said nothing"
    head = f"# {case.library} {case.version()}, Python {platform.python_version()}, {case.how}"
    (HERE / f"{case.name}.txt").write_text(f"{head}\n{said}\n")
    return ""


def main() -> None:
    """The exit status is 1 when a case that could run said nothing."""
    silent = False
    for case in all_cases():
        if sys.argv[1:] and case.name not in sys.argv[1:]:
            continue
        problem = make(case)
        silent = silent or problem == "said nothing"
        print(f"{case.name}: {problem or 'written'}", flush=True)
    sys.exit(silent)


if __name__ == "__main__":
    main()
