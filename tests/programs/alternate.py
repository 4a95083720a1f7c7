"""Writes lines to stdout and stderr in turn, unbuffered."""

import os

for number in range(200):
    os.write(1, b"out %d\n" % number)
    os.write(2, b"err %d\n" % number)
