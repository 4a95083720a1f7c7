"""Programs in a sandbox, watched from outside and from inside it."""

from __future__ import annotations

from transparency.case import Case, argv, sh

_ENDS = "echo boxed; echo err >&2; exit 3"
_BIND = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
_BWRAP = ("bwrap", *_BIND)
_GVISOR = "runsc --network=none --platform=ptrace do"
_WORK = (
    "import os, threading; x = [bytearray(n) for n in range(0, 100000, 7)];"
    "t = threading.Thread(target=len, args=(x,)); t.start(); t.join();"
    'print(len(x), os.system("exit 3") >> 8, flush=True); os._exit(4)'
)
# Sets that services are advised to use, from wide to narrow. The last one lacks calls for watching.
_SETS = {
    "usual": "@system-service",
    "hardened": "@system-service ~@privileged ~@resources",
    "narrow": "@system-service ~@privileged ~@resources ~@timer ~@network-io ~@sync ~@memlock",
}


def _service(name: str, sets: str, action: str) -> list[Case]:
    """As systemd does it, which runs no services here: the same calls, by the same library."""
    wanted = {"needs": ("systemd-analyze",), "seconds": 60}
    calls = f"calls=$({{python}} {{programs}}/service_calls.py {sets}) || exit 9; "
    service = f"{{seccomp:service}} $calls {action}"
    python = f"{{python}} -I -c '{_WORK}'"
    where = f"sandboxes.systemd.{name}.{action}"
    return [
        sh(f"{where}.inside", f"{calls}RUN {service} {python}; echo $?", **wanted),
        sh(f"{where}.around", f"{calls}{service} RUN {python}; echo $?", **wanted),
        sh(f"{where}.shell", f"{calls}{service} RUN sh -c '{_ENDS}'; echo $?", **wanted),
    ]


CASES = [
    *(
        case
        for name, sets in _SETS.items()
        for action in ("kill", "errno")
        for case in _service(name, sets, action)
    ),
    argv(
        "sandboxes.bwrap",
        *_BWRAP,
        "--unshare-all",
        "--die-with-parent",
        "sh",
        "-c",
        _ENDS,
        needs=("works:bwrap",),
    ),
    argv(
        "sandboxes.bwrap.python",
        *_BWRAP,
        "--unshare-pid",
        "{python}",
        "-c",
        "print(1); import os; print(os.getpid() < 9)",
        needs=("works:bwrap",),
    ),
    sh(
        "sandboxes.bwrap.around",
        f"bwrap --bind / / --proc /proc --dev /dev --unshare-pid RUN sh -c '{_ENDS}'; echo $?",
        needs=("works:bwrap",),
    ),
    argv(
        "sandboxes.bwrap.empty",
        *("bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin"),
        *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc"),
        "sh",
        "-c",
        "echo bare; exit 3",
        needs=("works:bwrap",),
    ),
    argv(
        "sandboxes.firejail",
        *("firejail", "--quiet", "--noprofile", "--seccomp", "sh", "-c", _ENDS),
        needs=("works:firejail",),
    ),
    argv(
        "sandboxes.firejail.python",
        *("firejail", "--quiet", "--noprofile", "--seccomp", "{python}", "-I", "-c", _WORK),
        needs=("works:firejail",),
    ),
    sh(
        "sandboxes.firejail.around",
        f"firejail --quiet --noprofile --seccomp RUN sh -c '{_ENDS}'; echo $?",
        needs=("works:firejail",),
    ),
    sh(
        "sandboxes.gvisor",
        f"RUN {_GVISOR} sh -c '{_ENDS}'; echo $?",
        root=True,
        needs=("works:runsc",),
        seconds=60,
    ),
    sh(
        "sandboxes.gvisor.around",
        f"{_GVISOR} RUN sh -c '{_ENDS}'; echo $?",
        root=True,
        needs=("works:runsc",),
        seconds=60,
    ),
    # Chromium does not let root use its own sandbox.
    sh(
        "sandboxes.chromium",
        "mkdir -m 777 b; cd b; export HOME=$PWD; RUN setpriv --reuid=65534 --regid=65534"
        " --clear-groups chromium --headless --disable-gpu --dump-dom"
        " 'data:text/html,<p>hi<script>document.body.append(6*7)</script>' 2>/dev/null;"
        " echo $?; cd ..; rm -r b",
        root=True,
        needs=("chromium", "setpriv", "works:unshare-user"),
        seconds=60,
    ),
]
