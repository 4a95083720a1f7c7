"""How a program ends: its status, its signal, and what it leaves."""

from __future__ import annotations

import os
import signal
import subprocess

from transparency.case import argv, drive, sh
from transparency.stage import Stage

_SIGNALS = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ SYS".split()
)
_WAYS = (
    "segv segv-handled segv-ignored segv-thread segv-child abort fpe ill bus overflow free _exit "
    "quick_exit exec thread-exit limit-cpu"
).split()
_CHILDREN = (
    "wait-any popen many spawn vfork clone ignored orphan orphan-parent subreaper pdeathsig zombie "
    "execed-zombie"
).split()


@drive("ends.core-flag")
def core(stage: Stage):
    """WCOREDUMP as the parent sees it, where cores are allowed."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    running = stage.start(
        "sh",
        "-c",
        "kill -SEGV $$",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)),
    )
    _, status = os.waitpid(running.pid, 0)
    running.returncode = 0
    cores = len([name for name in os.listdir(".") if name.startswith("core")])
    return {"signal": os.WTERMSIG(status), "cores": cores}


@drive("ends.killed-from-outside")
def killed(stage: Stage):
    """A SIGTERM to the started process ends the program as it would have ended it plain."""
    code = "import os, time; os.write(1, b'ready'); time.sleep(60)"
    running = stage.start("{python}", "-c", code, stdout=subprocess.PIPE)
    running.stdout.read(5)
    running.terminate()
    return {"status": stage.wait(running), "left": stage.left()}


@drive("ends.sigkill-from-outside")
def sigkilled(stage: Stage):
    """subprocess.run(timeout=) and every scheduler: nothing may be left running."""
    code = "import os, time; os.write(1, b'ready'); time.sleep(60)"
    running = stage.start("{python}", "-c", code, stdout=subprocess.PIPE)
    running.stdout.read(5)
    running.kill()
    ended = stage.wait(running)
    # The program has ended when its output ends.
    os.set_blocking(running.stdout.fileno(), False)
    import select

    gone = bool(select.select([running.stdout], [], [], 3)[0])
    return {"status": ended, "output ends": gone, "left": stage.left()}


@drive("ends.sigkill-of-the-group")
def group_killed(stage: Stage):
    code = "import os, time; os.write(1, b'ready'); time.sleep(60)"
    running = stage.start("{python}", "-c", code, stdout=subprocess.PIPE, start_new_session=True)
    running.stdout.read(5)
    os.killpg(running.pid, signal.SIGKILL)
    return {"status": stage.wait(running), "left": stage.left()}


@drive("ends.daemon-keeps-stderr")
def daemon(stage: Stage):
    """A daemon that holds stderr delays nobody, and what it writes arrives."""
    reader, writer = os.pipe()
    code = (
        "import os, sys\n"
        "if os.fork(): os._exit(4)\n"
        "os.setsid()\n"
        f"os.read({reader}, 1)\n"
        "sys.stderr.write('from the daemon\\n')\n"
    )
    running = stage.start("{python}", "-c", code, stderr=subprocess.PIPE, pass_fds=[reader])
    ended = stage.wait(running)
    os.write(writer, b"g")
    return {"status": ended, "stderr": running.stderr.read()}


CASES = [
    *(
        argv(f"ends.exit-{code}", "sh", "-c", f"exit {code}")
        for code in (0, 1, 2, 77, 126, 127, 128, 130, 137, 143, 255)
    ),
    *(argv(f"ends.signal-{name}", "sh", "-c", f"echo on; kill -{name} $$") for name in _SIGNALS),
    *(argv(f"ends.c.{how}", "{c:ends}", how) for how in _WAYS),
    *(argv(f"ends.static.{how}", "{static:ends}", how) for how in ("segv", "abort", "exec")),
    *(argv(f"ends.children.{how}", "{c:children}", how) for how in _CHILDREN),
    argv("ends.real-time-signal", "{c:ends}", "raise", "40"),
    argv("ends.last-real-time-signal", "{c:ends}", "raise", "64"),
    argv("ends.not-found", "no-such-program-anywhere"),
    argv("ends.not-executable", "/etc/passwd"),
    argv("ends.a-folder", "/"),
    sh("ends.shell-sees-signal", "RUN sh -c 'kill -9 $$'; echo $?", shell="dash"),
    sh("ends.no-first-line", "printf 'echo ran $1; exit 7' >s; chmod +x s; RUN ./s word; echo $?"),
    sh(
        "ends.bad-interpreter",
        "printf '#!/no/such\\n' >s; chmod +x s; RUN ./s 2>/dev/null; echo $?",
    ),
    sh("ends.in-background", "RUN sh -c 'exit 5' & wait $!; echo $?"),
    sh("ends.and-or", "RUN false || RUN true && echo yes; ! RUN false; echo $?"),
    sh("ends.errexit", "set -e; RUN true; RUN false; echo never"),
    sh("ends.exec", "exec RUN sh -c 'exit 6'"),
    sh("ends.timeout", "timeout 0.3 RUN sleep 20; echo $?"),
    sh("ends.timeout-kill", "(timeout -s KILL 0.3 RUN sleep 20; echo $?) 2>/dev/null"),
    sh("ends.timeout-foreground", "timeout --foreground 0.3 RUN sleep 20; echo $?"),
    sh("ends.xargs", "printf '1 2 3' | xargs -n 1 -P 2 RUN sh -c 'exit $0'; echo $?"),
    sh(
        "ends.make",
        "printf 'all:\\n\\t@RUN sh -c \"exit 3\"\\n' >Makefile; make -s 2>/dev/null;"
        " echo $?; rm Makefile",
        needs=("make",),
    ),
    sh("ends.watched-twice", "RUN RUN sh -c 'echo in; echo err >&2; exit 5'; echo $?"),
    sh("ends.env-i", "env -i RUN /bin/sh -c 'echo $PATH; exit 4' | wc -l; echo ${PIPESTATUS[0]}"),
    core,
    killed,
    sigkilled,
    group_killed,
    daemon,
]
