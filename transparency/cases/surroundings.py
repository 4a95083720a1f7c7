"""What a program inherits and sees around it."""

from __future__ import annotations

import os
import signal

from transparency.case import Case, argv, sh

_FACTS = ("{c:facts}", "one", "two words", "")
_STATIC = ("{static:facts}", "one", "two words", "")
_WAYS = "pipes one files append sockets pty ptyerr closed2 closed1 closed12 null2 readonly2 nonblocking".split()


def _mask() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD])


def _ignore() -> None:
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)


def _pending() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    os.kill(os.getpid(), signal.SIGUSR1)


def _alarm() -> None:
    signal.setitimer(signal.ITIMER_REAL, 100)


def _alarm_soon() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.4)


def _virtual_alarm() -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, 100)


def _scheduled() -> None:
    os.nice(7)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _umask() -> None:
    os.umask(0o137)


def _descriptors() -> None:
    os.dup2(os.open("/dev/null", os.O_RDONLY), 9)
    os.dup2(os.open("extra", os.O_WRONLY | os.O_CREAT), 37)
    os.set_inheritable(os.open("/etc/passwd", os.O_RDONLY), True)


def _prctl(option: int, value: int):
    def call() -> None:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)

    return call


def _oom() -> None:
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("321")


def _gone_folder() -> None:
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")


def _many_descriptors() -> None:
    for _ in range(80):
        os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)


def _high_descriptors() -> None:
    import fcntl

    fd = os.open("/dev/null", os.O_RDONLY)
    for number in (200, 500, 1000):
        fcntl.fcntl(fd, fcntl.F_DUPFD, number)


_BEFORE = {
    "mask": _mask,
    "ignored": _ignore,
    "pending": _pending,
    "alarm": _alarm,
    "virtual-alarm": _virtual_alarm,
    "scheduled": _scheduled,
    "umask": _umask,
    "descriptors": _descriptors,
    "many-descriptors": _many_descriptors,
    "high-descriptors": _high_descriptors,
    "subreaper": _prctl(36, 1),
    "no-new-privileges": _prctl(38, 1),
    "timer-slack": _prctl(29, 123456),
    "no-huge-pages": _prctl(41, 1),
    "oom-score": _oom,
    "gone-folder": _gone_folder,
}

CASES: list[Case] = [
    *(argv(f"surroundings.c.{way}", *_FACTS, out=way) for way in _WAYS),
    *(argv(f"surroundings.static.{way}", *_STATIC, out=way) for way in ("pipes", "one", "pty")),
    *(argv(f"surroundings.c.{name}", *_FACTS, before=before) for name, before in _BEFORE.items()),
    *(
        argv(f"surroundings.static.{name}", *_STATIC, before=_BEFORE[name])
        for name in ("mask", "ignored", "pending", "alarm", "descriptors")
    ),
    argv("surroundings.alarm-that-fires", "sleep", "10", before=_alarm_soon),
    argv("surroundings.stdin-closed", *_FACTS, stdin="closed"),
    argv("surroundings.stdin-closed.static", *_STATIC, stdin="closed", out="closed2"),
    argv(
        "surroundings.environment",
        *_FACTS,
        env={
            "A": "new\nline",
            "B": "",
            "LD_LIBRARY_PATH": "/x",
            "IFS": " ",
            "POSIXLY_CORRECT": "1",
        },
    ),
    argv("surroundings.environment-empty-preload", *_FACTS, env={"LD_PRELOAD": ""}),
    argv("surroundings.switched-off", *_FACTS, env={"HOLDFAST": "0"}),
    argv("surroundings.env-order", "env", env={"ZZ": "1", "AA": "2"}, mask="TR_STAGE=.*"),
    argv("surroundings.env-of-a-grandchild", "sh", "-c", "env | sort | grep -v ^TR_; :"),
    argv(
        "surroundings.big-environment",
        "sh",
        "-c",
        "env | wc -c",
        env={f"V{i}": "v" * 900 for i in range(1000)},
    ),
    argv("surroundings.long-argument", "sh", "-c", "echo ${#0}", "a" * 120000),
    argv("surroundings.many-arguments", "sh", "-c", "echo $#", *map(str, range(5000))),
    argv("surroundings.dashes", "printf", "%s|", "--", "--quiet", "-x", "--name=y", "--"),
    argv("surroundings.name-of-the-process", "{c:facts}"),
    argv(
        "surroundings.relative-path",
        "sh",
        "-c",
        "cat /proc/$$/comm; tr '\\0' ' ' </proc/$$/cmdline",
    ),
    argv(
        "surroundings.status-of-a-child",
        "grep",
        "-E",
        "^(SigB|SigI|SigC|SigP|Shd|Cap|Umask|Threads|Seccomp|NoNew)",
        "/proc/self/status",
    ),
    argv("surroundings.maps-of-a-static-program", "{static:lines}", "2"),
    argv("surroundings.ls-fd", "ls", "/dev/fd/"),
    argv("surroundings.no-agent", *_FACTS, options=("--no-agent",)),
    argv("surroundings.no-subreaper", *_FACTS, options=("--no-subreaper",)),
    argv("surroundings.guard-off", *_FACTS, options=("--guard=off",)),
    argv("surroundings.guard-warn", *_FACTS, options=("--guard=warn",)),
    argv(
        "surroundings.setuid-drop",
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "{c:facts}",
        root=True,
        needs=("setpriv",),
    ),
    argv(
        "surroundings.capabilities-drop",
        "setpriv",
        "--bounding-set",
        "-all",
        "--inh-caps",
        "-all",
        "{c:facts}",
        root=True,
        needs=("setpriv",),
    ),
    argv("surroundings.setsid", "setsid", "--wait", "{c:facts}", needs=("setsid",)),
    argv("surroundings.nohup", "nohup", "{c:facts}"),
    argv("surroundings.ionice", "ionice", "-c", "3", "{c:facts}", needs=("ionice",)),
    argv("surroundings.chroot", "chroot", "/", "{c:facts}", root=True),
    sh(
        "surroundings.chroot-elsewhere",
        "mkdir r; cp {static:lines} r/l; RUN chroot r /l 3",
        root=True,
    ),
    sh(
        "surroundings.umask-of-files",
        "umask 027; RUN sh -c '>made; mkdir folder'; stat -c '%a %n' *",
    ),
    sh("surroundings.job", "set -m; RUN {c:facts} & exec 2>/dev/null; wait $!"),
    sh("surroundings.background", "RUN {c:facts} & wait $!"),
    sh("surroundings.exec-chain", "RUN sh -c 'exec env X=1 nice sh -c \"exec {c:facts}\"'"),
    sh(
        "surroundings.setuid-program",
        "cp {static:facts} s; chown 65534 s; chmod 4755 s; RUN ./s; rm s",
        root=True,
    ),
    sh("surroundings.fifo-in-cwd", "mkfifo p; RUN cat <p & echo through >p; wait"),
    sh("surroundings.flock", "RUN flock lock sh -c 'echo locked'", needs=("flock",)),
    sh("surroundings.proc-exe", "RUN readlink /proc/self/exe"),
    sh(
        "surroundings.unwritable-home",
        "RUN sh -c 'echo $HOME'",
        env={"HOLDFAST_HOME": "/proc/nowhere"},
    ),
    sh("surroundings.home-is-a-file", "touch f; HOLDFAST_HOME=$PWD/f RUN echo still runs"),
]
