"""Lets autograd run backward for a GPU that is not there.

On a CUDA build without a GPU, the engine asks the CUDA hooks whether device 0 has a primary
context, and that question throws. While a capture runs, the answer is "no": the entry of that
virtual function is replaced by a function that returns false, and restored afterwards. Its place
is counted in the header of the installed torch, so that other versions work, too.
"""

import ctypes
import mmap
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

_RETURN_FALSE = {"x86_64": b"\x31\xc0\xc3", "aarch64": b"\x00\x00\x80\x52\xc0\x03\x5f\xd6"}
_HEADER = Path("include", "ATen", "detail", "AcceleratorHooksInterface.h")


class EngineError(RuntimeError):
    """On this build of torch, backward cannot be made to work without a GPU."""


def _slot(header: str) -> int:
    """The entry of hasPrimaryContext in the table; a virtual destructor takes two."""
    slot = 0
    for line in header.splitlines():
        if re.match(r"\s*virtual\b", line):
            if "hasPrimaryContext" in line:
                return slot
            slot += 2 if "~" in line else 1
    raise EngineError("this version of torch has no hasPrimaryContext; please report its version")


@contextmanager
def backward_without_gpu() -> Iterator[None]:
    """Inside, `loss.backward()` works on pretended CUDA tensors."""
    if torch.version.cuda is None or torch.cuda.device_count() > 0:
        yield
        return
    code = _RETURN_FALSE.get(platform.machine())
    if code is None:
        raise EngineError(f"no capture on {platform.machine()} with a CUDA build; use a CPU build")
    folder = Path(torch.__file__).parent
    slot = _slot((folder / _HEADER).read_text())
    library = ctypes.CDLL(str(folder / "lib" / "libtorch_cpu.so"))
    hooks = library._ZN2at6detail12getCUDAHooksEv
    hooks.restype = ctypes.c_void_p
    pointer = ctypes.POINTER(ctypes.c_void_p)
    table = ctypes.cast(ctypes.cast(hooks(), pointer)[0], pointer)

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    function = ctypes.addressof(ctypes.c_char.from_buffer(page))
    before = table[slot]
    entry = ctypes.addressof(table.contents) + slot * ctypes.sizeof(ctypes.c_void_p)
    _make_writable(entry)
    table[slot] = function
    try:
        yield
    finally:
        table[slot] = before


def _make_writable(address: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    start = address & ~(mmap.PAGESIZE - 1)
    if libc.mprotect(ctypes.c_void_p(start), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) != 0:
        raise EngineError(f"mprotect: error {ctypes.get_errno()}")
