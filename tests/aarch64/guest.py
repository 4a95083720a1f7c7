#!/usr/bin/env python3
"""What must hold on a real kernel of another machine: programs that end well and badly under
`holdfast run`, and their verdicts. tools/check-aarch64 runs it inside qemu; it runs anywhere.

usage: guest.py HOLDFAST PROGRAMS [NAME...]
  HOLDFAST  the program under test; the package is imported from PYTHONPATH
  PROGRAMS  a folder with crash_plain, crash_exception, harm_seccomp, ... compiled for this machine
  NAME      only checks with this in their names
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOLDFAST, PROGRAMS = sys.argv[1], Path(sys.argv[2])
FOLDER = Path(tempfile.mkdtemp(prefix="guest-"))
PATIENCE = 300  # for an emulated machine on a busy host
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Ended:
    def __init__(self, status, stdout, stderr, verdict):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.verdict = verdict
        self.end = verdict["end"]

    def told(self, slug, confidence="certain"):
        found = (self.end["slug"], self.end["confidence"])
        assert found == (slug, confidence), (found, self.end["summary"], self.verdict["missing"])
        return self

    def at(self, line):
        assert self.end["where"]["line"] == line, self.end
        return self

    def ended_by(self, status):
        assert self.status == status, (self.status, self.stderr)
        return self


def script(text):
    """A Python program in its own file, so that verdicts can name its lines."""
    file = FOLDER / f"program_{len(list(FOLDER.iterdir()))}.py"
    file.write_text(text)
    return [sys.executable, str(file)]


def run(*command, options=(), environment=None):
    verdict = FOLDER / f"verdict_{time.monotonic_ns()}.json"
    ended = subprocess.run(
        [HOLDFAST, "run", "--quiet", "--verdict", str(verdict), *options, "--", *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr, json.loads(verdict.read_text()))


def asked(*words):
    return subprocess.run(
        [HOLDFAST, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def native(name, *words, **options):
    return run(str(PROGRAMS / name), *words, **options)


def same_as_plain(name, *words):
    """A program that ends in the same way and prints the same, watched or not."""
    plain = subprocess.run(
        [PROGRAMS / name, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    ended = native(name, *words).ended_by(plain.returncode)
    assert ended.stdout == plain.stdout, (plain.stdout, ended.stdout)


def symbols(ended):
    return [frame.get("symbol") or "" for frame in ended.verdict["native_stack"]]


# The end of a program.


@check
def a_clean_end():
    run(sys.executable, "-c", "pass").ended_by(0).told("clean-exit")


@check
def an_exit_status():
    ended = run(sys.executable, "-c", "import sys; sys.exit(3)").ended_by(3).told("exit-called")
    assert ended.verdict["exit"] == {"code": 3, "signal": None}, ended.verdict["exit"]


@check
def a_shell():
    run("sh", "-c", "exit 4").ended_by(4)


@check
def its_output_is_unchanged():
    own = "import sys; print('out ü'); print('err', file=sys.stderr)"
    ended = run(sys.executable, "-c", own)
    assert (ended.stdout, ended.stderr) == ("out ü\n", "err\n"), (ended.stdout, ended.stderr)


@check
def a_closed_input():
    ended = run(sys.executable, "-c", "print(input())", environment={"LANG": "C.UTF-8"})
    assert ended.status == 1 and "EOFError" in ended.end["summary"], ended.end


@check
def an_exception_with_its_line():
    ended = run(*script("def load(settings):\n    return settings['rate']\n\nload({})\n"))
    ended.ended_by(1).told("exception").at(2)
    assert "KeyError" in ended.end["summary"], ended.end


@check
def an_exception_in_a_thread():
    ended = run(
        *script(
            "import threading\ndef work():\n    raise ValueError('in a thread')\n"
            "t = threading.Thread(target=work)\nt.start()\nt.join()\nraise SystemExit(5)\n"
        )
    )
    ended.ended_by(5)
    assert "in a thread" in ended.stderr


# Crashes.


@check
def a_segfault_in_python():
    ended = run(*script("import ctypes\n\ndef broken():\n    ctypes.string_at(0)\n\nbroken()\n"))
    ended.ended_by(-signal.SIGSEGV).told("segfault").at(4)
    assert len(ended.verdict["native_stack"]) > 5, ended.verdict["native_stack"]


@check
def the_names_of_a_native_stack():
    ended = native("crash_plain", "null").ended_by(-signal.SIGSEGV).told("segfault")
    assert "crash_now" in symbols(ended) and "main" in symbols(ended), symbols(ended)


@check
def a_native_stack_through_the_c_library():
    ended = native("crash_plain", "null", "thread").ended_by(-signal.SIGSEGV).told("segfault")
    names = symbols(ended)
    assert names[0] == "crash_now" and len(names) >= 3, names


@check
def a_jump_to_nowhere():
    native("crash_plain", "jump").ended_by(-signal.SIGSEGV).told("segfault")


@check
def an_exhausted_stack():
    native("crash_plain", "deep").ended_by(-signal.SIGSEGV).told("stack-overflow", "likely")


@check
def an_exhausted_stack_of_a_thread():
    native("crash_plain", "deep", "thread").ended_by(-signal.SIGSEGV).told(
        "stack-overflow", "likely"
    )


@check
def a_bus_error():
    native("crash_plain", "bus").ended_by(-signal.SIGBUS).told("mapped-file-gone", "likely")


@check
def an_abort():
    native("crash_plain", "abort").ended_by(-signal.SIGABRT).told("native-abort")


@check
def a_broken_heap():
    native("crash_plain", "double-free").ended_by(-signal.SIGABRT).told("heap-corruption")


@check
def a_trap():
    ended = native("crash_plain", "illegal")
    # x86 has an instruction that is always invalid; on arm64 the compiler's trap is a breakpoint.
    assert ended.status in (-signal.SIGILL, -signal.SIGTRAP), ended.status


@check
def a_cxx_exception():
    ended = native("crash_exception", "runtime-error").ended_by(-signal.SIGABRT)
    ended.told("native-abort")
    assert "loss is not finite" in json.dumps(ended.verdict), ended.end


@check
def a_handler_of_its_own_runs():
    same_as_plain("crash_plain", "null", "main", "own")


@check
def a_program_that_jumps_out_goes_on():
    same_as_plain("crash_plain", "null", "main", "jumps")


@check
def its_own_view_of_signals():
    same_as_plain("crash_signals", "queries")


@check
def faulthandler_prints_its_traceback():
    ended = run(sys.executable, "-X", "faulthandler", "-c", "import ctypes; ctypes.string_at(0)")
    ended.ended_by(-signal.SIGSEGV)
    assert "Fatal Python error: Segmentation fault" in ended.stderr, ended.stderr


@check
def a_child_that_crashes():
    ended = run(
        *script(
            "import ctypes, os, sys\nchild = os.fork()\nif not child:\n    ctypes.string_at(0)\n"
            "sys.exit(os.WTERMSIG(os.waitpid(child, 0)[1]))\n"
        )
    )
    ended.ended_by(int(signal.SIGSEGV))
    assert "segfault" in json.dumps(ended.verdict), ended.verdict["end"]


# Signals and kills.


@check
def a_sigterm_from_itself():
    own = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    run(sys.executable, "-c", own).ended_by(-signal.SIGTERM)


@check
def a_sigkill_is_not_called_out_of_memory():
    own = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    ended = run(sys.executable, "-c", own).ended_by(-signal.SIGKILL)
    assert ended.end["slug"] in ("killed", "unknown-kill"), ended.end


def started(text, *options):
    """A watched program that has printed `ready`; its supervisor, and its own pid."""
    command = [HOLDFAST, "run", *options, "--", *script(text)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = running.stdout.readline()
    assert said.startswith("ready"), (said, running.stderr.read())
    return running, int(said.split()[1])


REST = """import os, time

def rest():
    time.sleep(600)

print("ready", os.getpid(), flush=True)
rest()
"""


@check
def a_signal_to_the_supervisor_reaches_the_program():
    running, _ = started(REST, "--quiet")
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == -signal.SIGTERM, running.returncode


@check
def the_sender_of_a_signal():
    running, pid = started(REST, "--quiet")
    os.kill(pid, signal.SIGTERM)
    running.communicate(timeout=PATIENCE)
    verdict = json.loads(asked("why", "--json").stdout)
    assert verdict["end"]["slug"] == "killed", verdict["end"]
    assert str(os.getpid()) in json.dumps(verdict["end"]), verdict["end"]


@check
def an_interrupt():
    running, pid = started(REST, "--quiet")
    os.kill(pid, signal.SIGINT)
    _, stderr = running.communicate(timeout=PATIENCE)
    assert running.returncode == -signal.SIGINT and "KeyboardInterrupt" in stderr, stderr


@check
def a_program_that_runs():
    """Read from outside, with process_vm_readv."""
    running, _ = started(REST, "--quiet")
    try:
        until = time.monotonic() + PATIENCE
        while True:
            told = asked("why").stdout
            if ":4 in rest" in told or time.monotonic() > until:
                break
            time.sleep(0.5)
        assert ":4 in rest" in told, told
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE)


@check
def a_deadlock():
    """Reported once on stderr, while it hangs."""
    running, _ = started(
        "import os, threading\na = threading.Lock()\na.acquire()\n"
        "print('ready', os.getpid(), flush=True)\na.acquire()\n",
        "--stall-after",
        "3",
    )
    said = []
    reader = threading.Thread(target=lambda: said.extend(iter(running.stderr.readline, "")))
    reader.start()
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and not any("lock-deadlock" in line for line in said):
        time.sleep(0.5)
    running.send_signal(signal.SIGTERM)
    running.wait(PATIENCE)
    reader.join()
    told = [line for line in said if line.startswith("holdfast: not moving")]
    assert len(told) == 1 and "lock-deadlock" in told[0], said
    verdict = json.loads(asked("why", "--json").stdout)
    assert verdict["root"]["slug"] == "lock-deadlock", (verdict["root"], said)


# Memory.

# Bounded: if the limit does not hold, the machine must not suffer.
HUNGRY = """kept = []

def load():
    kept.append(bytearray(b"x") * (8 << 20))

for _ in range(100):
    load()
"""

GUARDED = """kept = []
try:
    for _ in range(100):
        kept.append(bytearray(b"x") * (8 << 20))
except MemoryError:
    kept.clear()
    print("saved")
"""

ROOT = Path("/sys/fs/cgroup")


def group(limit=200 << 20):
    """A new cgroup v2 with a limit."""
    # In another file system these would be plain files, and nothing would limit the program.
    assert (ROOT / "cgroup.controllers").exists(), f"{ROOT} is no cgroup of version 2"
    (ROOT / "cgroup.subtree_control").write_text("+memory")
    folder = ROOT / f"guest-{time.monotonic_ns()}"
    folder.mkdir()
    (folder / "memory.max").write_text(str(limit))
    assert (folder / "memory.max").read_text().strip() == str(limit), "the limit was not taken"
    swap = folder / "memory.swap.max"
    if swap.exists():
        swap.write_text("0")
    return folder


def within(folder, *command, **options):
    enter = ("sh", "-c", f'echo $$ >"{folder}/cgroup.procs" && exec "$@"', "sh")
    return run(*enter, *command, **options)


@check
def a_kill_at_a_memory_limit():
    ended = within(group(), *script(HUNGRY)).ended_by(-signal.SIGKILL).told("cgroup-oom")
    ended.at(4)


@check
def the_memory_of_a_line():
    ended = within(group(), *script(HUNGRY))
    top = ended.verdict["memory"]["top_sites"][0]
    assert top["line"] == 4 and top["live_bytes"] > 100 << 20, ended.verdict["memory"]["top_sites"]


@check
def an_error_instead_of_a_kill():
    ended = within(group(), *script(GUARDED), options=["--guard=on"]).ended_by(0)
    assert ended.stdout == "saved\n", ended.stdout


@check
def a_refused_allocation():
    run(*script("data = bytearray(1 << 46)\n")).ended_by(1).told("alloc-refused", "likely").at(1)


@check
def a_limit_of_address_space():
    own = (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))\n"
        "kept = []\nwhile True:\n    kept.append(bytearray(64 << 20))\n"
    )
    run(*script(own)).ended_by(1).told("address-limit").at(5)


# What stays the same.


@check
def a_program_under_a_seccomp_filter():
    same_as_plain("harm_seccomp", "prctl")


@check
def a_small_stack_and_many_variables():
    same_as_plain("harm_small_stack", "2000")


@check
def a_static_program_hands_the_agent_on():
    inside = "grep -c libholdfast_agent /proc/self/maps"
    ended = native("hand_on_static", "/bin/sh", "-c", inside).ended_by(0)
    assert int(ended.stdout) > 0, ended.stdout


@check
def switched_off():
    inside = "grep -c libholdfast_agent /proc/self/maps; true"
    assert run("sh", "-c", inside).stdout.strip() != "0"
    assert run("sh", "-c", f"HOLDFAST=0 sh -c '{inside}'").stdout.strip() == "0"
    assert run("sh", "-c", inside, options=["--no-agent"]).stdout.strip() == "0"


# The package and the other verbs.


@check
def steps_that_the_program_tells():
    own = (
        "import holdfast\nfor number in range(10):\n    holdfast.step(loss=1.0)\n"
        "print(holdfast.status().supervised)\nraise ValueError('late')\n"
    )
    ended = run(*script(own)).ended_by(1)
    assert ended.stdout == "True\n", ended.stdout


@check
def the_package_asks_the_program():
    run(sys.executable, "-c", "pass")
    own = "import holdfast; print(holdfast.why().end.slug, len(holdfast.runs()) > 3)"
    said = subprocess.run(
        [sys.executable, "-c", own], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert said.stdout.split() == ["clean-exit", "True"], said


@check
def the_library_of_the_loader():
    # The package needs NumPy, its library does not.
    library = Path(HOLDFAST).resolve().parents[1] / "libexec/holdfast/libholdfast_loader.so"
    assert ctypes.CDLL(str(library)).holdfast_loader_version() > 0


@check
def what_a_cause_means():
    assert "cgroup" in asked("explain", "cgroup-oom").stdout


@check
def a_check_of_this_machine():
    said = asked("check", "--json")
    assert said.returncode in (0, 1), said
    assert "findings" in json.loads(said.stdout), said.stdout


def main():
    wanted = sys.argv[3:]
    chosen = [c for c in CHECKS if not wanted or any(word in c.__name__ for word in wanted)]
    failed = 0
    for one in chosen:
        name = one.__name__.replace("_", " ")
        began = time.monotonic()
        try:
            one()
        except Exception as error:  # one failed check does not stop the others
            failed += 1
            print(f"guest: FAILED {name}: {type(error).__name__}: {error}", flush=True)
        else:
            print(f"guest: {name} ({time.monotonic() - began:.1f} s)", flush=True)
    machine, page = os.uname().machine, os.sysconf("SC_PAGESIZE")
    print(
        f"guest: {len(chosen)} checks, {failed} failed; {machine}, pages of {page} bytes,"
        f" Linux {os.uname().release}",
        flush=True,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
