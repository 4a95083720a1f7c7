"""Starts so many processes that end at once, one after the other, and exits 1."""

import os
import sys

for _ in range(int(sys.argv[1])):
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
sys.exit(1)
