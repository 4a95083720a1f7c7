"""A label out of range on the GPU: a device-side assert, reported later."""
# zoo end: cuda-assert
# zoo root: bad-label
# zoo device: an H200
import torch

logits = torch.randn(8, 10, device="cuda", requires_grad=True)
labels = torch.tensor([0, 1, 2, 3, 4, 5, 6, 10], device="cuda")
loss = torch.nn.functional.cross_entropy(logits, labels)
print(loss.item())
