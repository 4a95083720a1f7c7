"""A hand-written kernel writes far outside its array."""
# zoo end: cuda-illegal-access
# zoo device: an H200
import torch

source = 'extern "C" __global__ void bad(float* p) { p[1ull << 42] = 1; }'
kernel = torch.cuda._compile_kernel(source, "bad")
x = torch.zeros(8, device="cuda")
kernel(grid=(1, 1, 1), block=(1, 1, 1), args=[x])
print(x.sum().item())
