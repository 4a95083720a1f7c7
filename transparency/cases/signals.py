"""Signals from outside and inside: each arrives once, with the effect that the program set."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time

from transparency import proc
from transparency.case import Case, argv, drive
from transparency.stage import Stage

_COUNTER = """
import os, signal, sys
def seen(number, frame):
    os.write(1, signal.Signals(number).name.encode() + b"\\n")
    if number == signal.SIGUSR2: os._exit(3)
for name in "HUP INT QUIT TERM USR1 USR2 WINCH CONT URG".split():
    signal.signal(getattr(signal, "SIG" + name), seen)
os.write(1, b"ready\\n")
while True: signal.pause()
"""


def _line(running) -> bytes:
    """A line, or what has come after a while: a signal that never comes must not hang the suite."""
    return (
        running.stdout.readline() if select.select([running.stdout], [], [], 5)[0] else b"(none)\n"
    )


def _each_once(whom: str, names: list[str]) -> Case:
    @drive(f"signals.each-once.{whom}.{'-'.join(names)}")
    def play(stage: Stage):
        running = stage.start(
            "{python}", "-u", "-c", _COUNTER, stdout=subprocess.PIPE, start_new_session=True
        )
        said = [_line(running)]
        for _ in range(5):
            for name in names:
                send = os.kill if whom == "leader" else os.killpg
                send(running.pid, getattr(signal, "SIG" + name))
                said.append(_line(running))
        os.kill(running.pid, signal.SIGUSR2)
        rest = running.stdout.read()
        return {"said": b"".join(said), "rest": rest, "status": stage.wait(running)}

    return play


@drive("signals.stop-and-continue")
def stop(stage: Stage):
    """A parent sees that the program stops, and that it goes on."""
    running = stage.start(
        "sh", "-c", "kill -STOP $$; echo on", stdout=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 2
    got, status = 0, 0
    while not got and time.monotonic() < deadline:
        got, status = os.waitpid(running.pid, os.WUNTRACED | os.WNOHANG)
        time.sleep(0.005)
    stopped = bool(got) and os.WIFSTOPPED(status) and os.WSTOPSIG(status)
    os.killpg(running.pid, signal.SIGCONT)
    out = running.stdout.read()
    return {"stopped by": stopped, "out": out, "status": stage.wait(running)}


@drive("signals.stopped-from-outside")
def stopped_from_outside(stage: Stage):
    running = stage.start(
        "sh",
        "-c",
        "echo ready; read x; echo $x",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=os.setpgrp,
    )
    running.stdout.readline()
    os.kill(running.pid, signal.SIGTSTP)
    deadline = time.monotonic() + 2
    got, status = 0, 0
    while not got and time.monotonic() < deadline:
        got, status = os.waitpid(running.pid, os.WUNTRACED | os.WNOHANG)
        time.sleep(0.005)
    # Its own group in our session: only there a stop from the keyboard counts.
    inside = [p for p in [running.pid, *proc.descendants(running.pid)] if proc.comm(p) == "sh"]
    state = [proc.state(pid) for pid in inside]
    os.kill(running.pid, signal.SIGCONT)
    running.stdin.write(b"word\n")
    running.stdin.close()
    return {
        "told": bool(got) and os.WIFSTOPPED(status),
        "state": state,
        "out": running.stdout.read(),
        "status": stage.wait(running),
    }


@drive("signals.ctrl-c-in-python")
def interrupt(stage: Stage):
    code = (
        "import os, time\ntry:\n  os.write(1, b'ready'); time.sleep(30)\n"
        "except KeyboardInterrupt: print(' caught')\nraise KeyboardInterrupt"
    )
    running = stage.start(
        "{python}",
        "-c",
        code,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    running.stdout.read(5)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate()
    return {"out": out, "err": err, "status": stage.wait(running)}


@drive("signals.ignored-in-the-parent")
def ignored(stage: Stage):
    def ignore() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    code = "import os, sys; os.write(1, b'ready'); sys.stdin.read(); print(' on')"
    running = stage.start(
        "{python}", "-c", code, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=ignore
    )
    running.stdout.read(5)
    running.terminate()
    running.stdin.close()
    return {"out": running.stdout.read(), "status": stage.wait(running)}


@drive("signals.sigqueue-value")
def queued(stage: Stage):
    """Real-time signals arrive in number and order."""
    code = (
        "import os, signal\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [40, 41, signal.SIGUSR2])\n"
        "os.write(1, b'ready\\n')\n"
        "seen = []\n"
        "while len(seen) < 6: seen.append(signal.sigwait([40, 41]))\n"
        "print(seen)\n"
    )
    running = stage.start("{python}", "-c", code, stdout=subprocess.PIPE)
    running.stdout.readline()
    for number in (41, 40, 41, 40, 40, 41):
        os.kill(running.pid, number)
        time.sleep(0.05)
    gone = select.select([running.stdout], [], [], 5)[0]
    return {"out": running.stdout.readline() if gone else b"(none)"}


@drive("signals.died-by-uncaught")
def uncaught(stage: Stage):
    running = stage.start("sh", "-c", "echo r; exec sleep 50", stdout=subprocess.PIPE)
    running.stdout.readline()
    os.kill(running.pid, signal.SIGUSR1)
    return {"status": stage.wait(running), "left": stage.left()}


@drive("signals.children-get-the-groups")
def to_children(stage: Stage):
    """Ctrl-C: every process of the group, and no other, once each."""
    script = (
        "trap 'echo parent' INT; (trap 'echo child; exit 0' INT; echo r; while :; do sleep .01; done)"
        " & wait $!; wait; echo end"
    )
    running = stage.start("bash", "-c", script, stdout=subprocess.PIPE, start_new_session=True)
    running.stdout.readline()
    time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    lines = sorted(running.stdout.read().splitlines())
    return {"lines": lines, "status": stage.wait(running)}


_INSIDE = {
    "itimers": "import signal\nseen = []\nsignal.signal(signal.SIGALRM, lambda *a: seen.append(1))\n"
    "signal.setitimer(signal.ITIMER_REAL, .01, .01)\nwhile len(seen) < 5: signal.pause()\nprint(seen)",
    "sigprof": "import signal\nseen = []\nsignal.signal(signal.SIGPROF, lambda *a: seen.append(1))\n"
    "signal.setitimer(signal.ITIMER_PROF, .01)\nwhile not seen: sum(range(1000))\nprint(seen)",
    "wakeup-fd": "import os, signal\nr, w = os.pipe()\nos.set_blocking(w, False)\n"
    "signal.set_wakeup_fd(w)\nsignal.signal(10, lambda *a: None)\nos.kill(os.getpid(), 10)\n"
    "print(os.read(r, 1))",
    "sigwait": "import os, signal\nsignal.pthread_sigmask(0, [10, 12])\nos.kill(os.getpid(), 10)\n"
    "os.kill(os.getpid(), 12)\nprint(signal.sigpending(), signal.sigwait([12]), signal.sigwait([10]))",
    "sigchld": "import os, signal, time\nseen = []\n"
    "signal.signal(signal.SIGCHLD, lambda *a: seen.append(os.waitpid(-1, os.WNOHANG)[1]))\n"
    "p = os.fork()\nif p == 0: os._exit(2)\nwhile not seen: time.sleep(.01)\nprint(seen)",
    "handlers": "import signal\nfor n in sorted(signal.valid_signals()):\n"
    "  h = signal.getsignal(n)\n  if h != signal.SIG_DFL: print(n, h)",
    "siginterrupt": "import os, signal\nsignal.signal(14, lambda *a: None)\nsignal.siginterrupt(14, False)\n"
    "r, w = os.pipe()\nsignal.setitimer(0, .05)\nimport threading\n"
    "threading.Timer(.2, lambda: os.write(w, b'x')).start()\nprint(os.read(r, 1))",
    "sigsegv-handler": "import faulthandler, signal, os, sys\nfaulthandler.disable()\n"
    "signal.signal(signal.SIGSEGV, lambda *a: (print('handled'), sys.exit(3)))\n"
    "os.kill(os.getpid(), signal.SIGSEGV)\nimport time; time.sleep(1)",
    "kill-own-group": "import os, signal\nos.setpgid(0, 0)\nsignal.signal(15, lambda *a: print('term'))\n"
    "os.killpg(0, 15)\nprint('on')",
    "pidfd": "import os, signal, sys\nif hasattr(os, 'pidfd_open'):\n"
    "  f = os.pidfd_open(os.getpid()); signal.signal(10, lambda *a: print('by pidfd'));"
    " signal.pidfd_send_signal(f, 10)",
    "parent-is-alive": "import os\nos.kill(os.getppid(), 0)\nprint('parent is there')",
}

CASES = [
    *(
        _each_once(whom, [name])
        for whom in ("leader", "group")
        for name in ("HUP", "INT", "QUIT", "TERM", "USR1")
    ),
    *(_each_once("leader", [name]) for name in ("WINCH", "CONT", "URG")),
    _each_once("leader", ["HUP", "TERM", "USR1"]),
    stop,
    stopped_from_outside,
    interrupt,
    ignored,
    queued,
    uncaught,
    to_children,
    *(
        argv(f"signals.inside.{name}", "{python}", "-u", "-c", code)
        for name, code in _INSIDE.items()
    ),
    *(
        argv(f"signals.stacks.{how}", "{c:stacks}", how)
        for how in ("onstack", "own", "thread", "small", "query")
    ),
    *(
        argv(f"signals.seccomp.{how}", "{c:seccomp}", how)
        for how in (
            "strict",
            "filter",
            "errno",
            "thread",
            "other-thread",
            "return",
            "segv",
            "abort",
        )
    ),
    argv("signals.seccomp.static", "{static:seccomp}", "filter"),
    argv("signals.seccomp.guard-off", "{c:seccomp}", "filter", options=("--guard=off",)),
    argv("signals.seccomp.python", "{python}", "{programs}/sandboxed.py"),
]
