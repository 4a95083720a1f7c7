"""Prints everything a program inherits, as JSON: a watched program must find it unchanged."""

import json
import os
import re
import resource
import sys
from pathlib import Path

outer_shell = int(sys.argv[1])
status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())


def kind(link):
    """A pipe, without its number."""
    return re.sub(r"\[\d+\]", "", link)


def descriptors():
    found = {}
    for entry in sorted(os.listdir("/proc/self/fd"), key=int):  # noqa: PTH208
        try:
            found[entry] = kind(str(Path(f"/proc/self/fd/{entry}").readlink()))
        except FileNotFoundError:  # the descriptor of the listing itself
            continue
    return found


same = {
    # The shell puts the path of the program it starts into `_`.
    "environment": {name: value for name, value in os.environ.items() if name != "_"},
    "arguments": sys.argv[2:],
    "directory": str(Path.cwd()),
    "umask": os.umask(0o22),
    "descriptors": descriptors(),
    "nice": os.nice(0),
    "affinity": sorted(os.sched_getaffinity(0)),
    "policy": os.sched_getscheduler(0),
    "oom_score_adj": Path("/proc/self/oom_score_adj").read_text(),
    "core_filter": Path("/proc/self/coredump_filter").read_text(),
    "timer_slack": Path("/proc/self/timerslack_ns").read_text(),
    "limits": {
        name: resource.getrlimit(getattr(resource, name))
        for name in dir(resource)
        if name.startswith("RLIMIT_")
    },
    "of the shell's group": os.getpgid(outer_shell) == os.getpgrp(),
    "of the shell's session": os.getsid(outer_shell) == os.getsid(0),
    "status": {
        name: status[name]
        for name in (
            *("SigBlk", "SigIgn", "SigPnd", "ShdPnd", "NoNewPrivs", "Seccomp"),
            *("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
        )
    },
}
json.dump(same, sys.stdout, indent=1)
