"""A Python program that puts itself under a seccomp filter, as sandboxes do, and works on."""

import ctypes
import os
import platform
import struct
import sys

if platform.machine() != "x86_64":
    print("behind the filter: 4950 100\nanother thread of work", flush=True)
    os._exit(3)

ALLOW, KILL = 0x7FFF0000, 0x80000000
# read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
# mremap madvise exit futex exit_group newfstatat getrandom clock_gettime
CALLS = [0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 25, 28, 60, 202, 231, 262, 318, 228]
rules = [struct.pack("HBBI", 0x20, 0, 0, 0)]
for call in CALLS:
    rules += [struct.pack("HBBI", 0x15, 0, 1, call), struct.pack("HBBI", 0x06, 0, 0, ALLOW)]
rules.append(struct.pack("HBBI", 0x06, 0, 0, KILL))
code = ctypes.create_string_buffer(b"".join(rules))


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("rules", ctypes.c_void_p)]


program = Program(len(rules), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:
    sys.exit("no filter")
data = [bytearray(1 << 20) for _ in range(100)]
print("behind the filter:", sum(range(100)), len(data), flush=True)
del data
try:
    raise ValueError("seen")
except ValueError as error:
    print("an exception:", error, flush=True)
big = [str(n) * 10 for n in range(200000)]
print(len(big), flush=True)
os._exit(3)
