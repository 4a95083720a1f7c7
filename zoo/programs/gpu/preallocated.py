"""Another library of the same process took most of the GPU at its start."""
# zoo end: gpu-preallocated
# zoo device: an H200
import ctypes

import torch

torch.cuda.init()
x = torch.ones(8, device="cuda")
cuda = ctypes.CDLL("libcuda.so.1")
pool = ctypes.c_uint64()
cuda.cuMemAlloc_v2(ctypes.byref(pool), ctypes.c_size_t(125 << 30))
y = torch.empty(30 << 30, dtype=torch.uint8, device="cuda")  # guilty
