"""What a program can see of being watched if it looks for it; docs/harm.md lists each."""

from __future__ import annotations

from transparency.case import argv, sh

_ORPHAN = (
    "import os, time\nr, w = os.pipe()\n"
    "if os.fork() == 0:\n"
    "  if os.fork() == 0:\n"
    "    was = os.getppid()\n"
    "    while os.getppid() == was: time.sleep(.005)\n"
    "    os.write(w, open('/proc/%d/comm' % os.getppid(), 'rb').read()); os._exit(0)\n"
    "  time.sleep(.05); os._exit(0)\n"
    "os.wait(); print('its new parent:', os.read(r, 100))"
)

CASES = [
    argv(
        "visible.parent", "sh", "-c", '[ "$PPID" = "$TR_STAGE" ] && echo child || echo grandchild'
    ),
    argv("visible.parents-name", "sh", "-c", "cat /proc/$PPID/comm"),
    argv("visible.parent-of-orphans", "{python}", "-c", _ORPHAN),
    argv(
        "visible.parent-of-orphans.no-subreaper",
        "{python}",
        "-c",
        _ORPHAN,
        options=("--no-subreaper",),
    ),
    sh(
        "visible.session-leader",
        "setsid --wait RUN {python} -c "
        "'import os; print(\"leads the session:\", os.getpid() == os.getsid(0))'",
        needs=("setsid",),
    ),
    argv(
        "visible.group-leader",
        "{python}",
        "-c",
        "import os; print('leads the group:', os.getpid() == os.getpgrp())",
    ),
    argv("visible.libraries", "grep", "-c", "libholdfast_agent", "/proc/self/maps"),
    argv(
        "visible.environ-file", "sh", "-c", "tr '\\0' '\\n' </proc/$$/environ | grep -c ^LD_PRELOAD"
    ),
    argv("visible.environ-of-static", "{static:facts}"),
    *(
        argv(f"visible.python.{tool}", "{python}", "{programs}/insight.py", tool)
        for tool in ("collections", "audit", "tracemalloc")
    ),
    sh(
        "visible.parent-death",
        "sh -c 'RUN {python} -uc \"import ctypes, time; ctypes.CDLL(None).prctl(1, 15);"
        ' time.sleep(1); print(\\"outlived it\\")" & sleep .5\' | cat',
    ),
    sh("visible.records", "RUN true; ls $HOLDFAST_HOME/runs 2>/dev/null | wc -l"),
    sh(
        "visible.underscore",
        "RUN sh -c 'echo $_'; RUN {python} -c 'import os; print(os.environ.get(\"_\"))'",
    ),
]
