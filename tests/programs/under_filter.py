"""Sets a filter that allows everything, and becomes the command: under_filter.py COMMAND..."""

import ctypes
import os
import struct
import sys

held = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000), 8)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(held)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program)):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])
