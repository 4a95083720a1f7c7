"""Runs a few bytes of machine code that the processor refuses."""

import ctypes
import mmap
import platform
import signal
import sys

CODE = {
    ("illegal", "x86_64"): b"\x0f\x0b",  # ud2
    ("illegal", "aarch64"): b"\x00\x00\x00\x00",  # udf
    ("divide", "x86_64"): b"\x31\xc9\xf7\xf1",  # xor ecx, ecx; div ecx
}
kind = sys.argv[1]
code = CODE.get((kind, platform.machine()))
if code is None:  # this processor does not trap on it
    signal.raise_signal(signal.SIGFPE)
page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
