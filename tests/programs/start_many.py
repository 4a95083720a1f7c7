"""Starts so many processes, one after the other, that end at once, and exits 1."""

import os
import sys

for _ in range(int(sys.argv[1])):
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
sys.exit(1)
