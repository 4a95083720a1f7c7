"""Writes so many MiB of bytes that are easy to check to a descriptor."""

import hashlib
import os
import sys

descriptor, mebibytes = int(sys.argv[1]), int(sys.argv[2])
for number in range(mebibytes):
    block = hashlib.sha256(b"%d" % number).digest() * ((1 << 20) // 32)
    while block:
        block = block[os.write(descriptor, block) :]
