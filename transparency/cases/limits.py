"""Programs under the kernel's limits: what we need must fit, too."""

from __future__ import annotations

import shlex

from transparency.case import argv, sh

# A separate unprivileged user in its own pid namespace: a limit on processes counts all processes of
# a user, and a stray signal could hit nobody outside.
_APART = "unshare --pid --fork --mount-proc setpriv --reuid $((100000 + $$)) --regid 65534 --clear-groups"
_WORK = "RUN sh -c 'echo out; echo err >&2; exit 3'"


def _apart(name: str, script: str):
    inner = shlex.quote(script)
    return sh(
        f"limits.{name}",
        f"mkdir -m 777 h; export HOLDFAST_HOME=$PWD/h/home; {_APART} bash -c {inner}; echo $?; rm -rf h",
        root=True,
        needs=("works:unshare-pid", "setpriv"),
    )


CASES = [
    *(
        sh(f"limits.descriptors-{n}", f"ulimit -n {n}; {_WORK}; echo $?")
        for n in (4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64)
    ),
    # Enough only for a statically linked program.
    sh("limits.descriptors-3", "ulimit -n 3; RUN {static:ends} exit; echo $?"),
    sh("limits.descriptors-soft", "ulimit -S -n 20; RUN sh -c 'ulimit -S -n; ulimit -H -n'"),
    argv("limits.arguments-to-the-last-byte", "{python}", "{programs}/brim.py"),
    sh("limits.descriptors-facts", "ulimit -n 64; RUN {c:facts}"),
    *(_apart(f"processes-{n}", f"ulimit -u {n}; exec {_WORK}") for n in (1, 2, 3, 4, 5, 6, 8)),
    _apart("processes-echo", "ulimit -u 4; exec RUN echo alone"),
    _apart("processes-last", "ulimit -u 4; exec RUN sh -c '(echo out); echo $?'"),
    _apart("unprivileged", _WORK),
    *(
        sh(
            f"limits.data-{n}",
            f"ulimit -d {n}; RUN {{python}} -c 'print(1)'; echo $?",
            mask="0x[0-9a-f]+",
        )
        for n in (4000, 8000, 30000, 200000)
    ),
    *(sh(f"limits.data-sh-{n}", f"ulimit -d {n}; {_WORK}; echo $?") for n in (600, 1000, 2000)),
    *(
        sh(f"limits.address-space-{n}", f"ulimit -v {n}; {_WORK}; echo $?")
        for n in (6000, 12000, 20000, 50000, 300000)
    ),
    *(
        sh(
            f"limits.address-space-python-{n}",
            f"ulimit -v {n}; RUN {{python}} -c 'print(1)'; echo $?",
        )
        for n in (40000, 100000, 500000)
    ),
    *(
        sh(
            f"limits.file-size-{n}",
            f"ulimit -f {n}; RUN sh -c 'head -c 900 /dev/zero >small; echo done'; echo $?",
        )
        for n in (0, 1, 10, 100, 2000)
    ),
    sh("limits.file-size-met", "ulimit -f 1; RUN sh -c 'head -c 9000 /dev/zero >large'; echo $?"),
    *(sh(f"limits.stack-{n}", f"ulimit -s {n}; {_WORK}; echo $?") for n in (64, 128, 512, 100000)),
    sh("limits.stack-python", "ulimit -s 512; RUN {python} -c 'print(1)'"),
    sh(
        "limits.stack-overflow",
        "exec 2>/dev/null; ulimit -c 0; ulimit -s 512; RUN {c:ends} overflow; echo $?",
    ),
    sh(
        "limits.core-0",
        "exec 2>/dev/null; ulimit -c 0; RUN sh -c 'kill -SEGV $$'; echo $?; ls core*",
    ),
    sh("limits.cpu", "exec 2>/dev/null; ulimit -t 1; RUN sh -c 'while :; do :; done'; echo $?"),
    sh("limits.locked-memory", f"ulimit -l 0; {_WORK}; echo $?"),
    sh("limits.pending-signals", f"ulimit -i 0; {_WORK}; echo $?"),
    sh("limits.message-queues", f"ulimit -q 0; {_WORK}; echo $?"),
    sh("limits.all-small", f"ulimit -n 24 -s 256 -c 0 -f 100 -l 0; {_WORK}; echo $?"),
    sh(
        "limits.python-sets-its-own",
        "RUN {python} -c 'import resource as r;"
        "r.setrlimit(r.RLIMIT_NOFILE, (9, 9)); import socket; print(socket.socket().fileno() > 0);"
        "r.setrlimit(r.RLIMIT_AS, (60 << 20, 60 << 20))\ntry: bytearray(1 << 30)\n"
        'except MemoryError: print("no memory")\'',
    ),
    sh(
        "limits.python-no-memory",
        "ulimit -v 600000; RUN {python} -c 'bytearray(1 << 40)' 2>&1 |"
        " grep ^MemoryError; echo ${PIPESTATUS[0]}",
    ),
    argv(
        "limits.no-space-for-records",
        "sh",
        "-c",
        "echo on; echo err >&2",
        env={"HOLDFAST_HOME": "/dev/full/x"},
    ),
]
