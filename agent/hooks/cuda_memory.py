"""GPU memory as torch's allocator reports it; only when the program uses CUDA anyway."""

import sys

from _holdfast_agent import note
from hooks.numbers import NOTE_CUDA_OOM


def figures():
    """(allocated, reserved) bytes of the current device, or (-1, -1)."""
    cuda = sys.modules.get("torch.cuda")
    if cuda is None or not cuda.is_initialized():
        return -1, -1
    # torch.cuda.memory_stats() flattens and sorts two hundred entries; this is its source.
    stats = sys.modules["torch"]._C._cuda_memoryStats(cuda.current_device())
    return (
        stats["allocated_bytes"]["all"]["current"],
        stats["reserved_bytes"]["all"]["current"],
    )


def note_if_out_of_memory(error):
    """The allocator's state, if the exception says that the GPU is full."""
    torch = sys.modules.get("torch")
    if torch is None or not any(k.__name__ == "OutOfMemoryError" for k in type(error).__mro__):
        return
    cuda = sys.modules.get("torch.cuda")
    if cuda is None or not cuda.is_initialized():
        return
    device = cuda.current_device()
    stats = torch._C._cuda_memoryStats(device)

    def total(name, what):
        return stats[name]["all"][what]

    fields = [
        ("device", device),
        ("allocated", total("allocated_bytes", "current")),
        ("allocated_peak", total("allocated_bytes", "peak")),
        ("reserved", total("reserved_bytes", "current")),
        ("reserved_peak", total("reserved_bytes", "peak")),
        ("inactive_split", total("inactive_split_bytes", "current")),
        ("requested", stats.get("requested_bytes", {}).get("all", {}).get("current", -1)),
        ("retries", stats.get("num_alloc_retries", 0)),
        ("ooms", stats.get("num_ooms", 0)),
    ]
    free, whole = cuda.mem_get_info(device)
    fields += [("free", free), ("total", whole)]
    text = ", ".join(f'"{name}": {value}' for name, value in fields)
    largest = ", ".join(_largest(cuda))
    note(NOTE_CUDA_OOM, f'{{{text}, "largest": [{largest}]}}')
    from hooks.kept_tensors import note_largest  # imports much, for few programs

    note_largest(torch.Tensor, error.__traceback__, lambda tensor: tensor.is_cuda)


def _largest(cuda):
    """The sizes of the largest live blocks."""
    blocks = [
        block
        for segment in cuda.memory_snapshot()
        for block in segment["blocks"]
        if block["state"] == "active_allocated"
    ]
    blocks.sort(key=lambda block: -block["size"])
    return [str(block["size"]) for block in blocks[:5]]
