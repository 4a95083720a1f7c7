"""Prints the calls of systemd's sets, separated by commas: service_calls.py @SET ~@SET..."""

import subprocess
import sys


def calls(name: str) -> set[str]:
    asked = ["systemd-analyze", "syscall-filter", name]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found: set[str] = set()
    for line in told.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            found |= calls(word)
        elif word and not word.startswith("#"):
            found.add(word)
    return found


allowed: set[str] = set()
for word in sys.argv[1:]:
    if word.startswith("~"):
        allowed -= calls(word[1:])
    else:
        allowed |= calls(word)
print(",".join(sorted(allowed)))
