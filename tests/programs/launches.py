"""Launches kernels of launches.c; one fails, and is noticed later."""

import ctypes
import sys
import time
import types

torch = ctypes.CDLL(sys.argv[1] + "/libtorch_cuda.so")
cuda = types.ModuleType("torch.cuda")
cuda.is_initialized = lambda: False
sys.modules["torch.cuda"] = cuda
until = time.monotonic() + 2
while time.monotonic() < until:
    # An import asks for a visit of the agent, which then sees the module above.
    try:
        __import__("no_such_module")
    except ImportError:
        time.sleep(0.01)


def settled():
    assert torch.launch_loss() == 0


def failing():
    assert torch.launch_loss() == 0  # mark: failing


settled()
assert torch.wait_for_all() == 0
for _ in range(3):
    failing()
assert torch.launch_fill() == 0
ctypes.CDLL(sys.argv[1] + "/libcudart.so.13").fail()
sys.stderr.write(
    "/p/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [7,0,0] "
    "Assertion `t >= 0 && t < n_classes` failed.\n"
)
if torch.wait_for_all() != 0:
    raise RuntimeError("CUDA error: device-side assert triggered")
