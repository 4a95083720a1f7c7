"""A Python program that puts itself under a filter of the usual calls, and goes on allocating."""

import ctypes
import os
import platform
import struct
import sys
import time

# read write close mmap mprotect munmap brk rt_sigprocmask mremap madvise exit futex exit_group
X86_64 = (0, 1, 3, 9, 10, 11, 12, 14, 15, 25, 28, 60, 202, 231)
AARCH64 = (63, 64, 57, 222, 226, 215, 214, 135, 139, 216, 233, 93, 98, 94)
CALLS = X86_64 if platform.machine() == "x86_64" else AARCH64


def statement(code, value, yes=0, no=0):
    return struct.pack("HBBI", code, yes, no, value)


code = statement(0x20, 0)
for call in CALLS:
    code += statement(0x15, call, 0, 1) + statement(0x06, 0x7FFF0000)
code += statement(0x06, 0x80000000)
held = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(
    struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
)


def work(seconds):
    end = time.monotonic() + seconds
    kept = []
    while time.monotonic() < end:
        kept.append([bytearray(700 << 10), [object() for _ in range(2000)]])
        if len(kept) > 100:
            kept.clear()


work(0.5)
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program)):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
work(1)
os.write(1, b"worked on\n")
os._exit(0)
