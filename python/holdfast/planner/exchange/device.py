"""The GPU that is pretended: what programs and libraries ask a device about itself."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Device:
    """As torch.cuda.get_device_properties tells it."""

    name: str = "NVIDIA H200"
    major: int = 9
    minor: int = 0
    multi_processor_count: int = 132
    max_threads_per_multi_processor: int = 2048
    total_memory: int = 150_109_880_320
    cudnn: int = 91900

    @property
    def capability(self) -> tuple[int, int]:
        """(9, 0) for sm_90."""
        return self.major, self.minor

    def properties(self) -> Any:
        """What stands in for the C++ struct."""
        return SimpleNamespace(
            name=self.name,
            major=self.major,
            minor=self.minor,
            total_memory=self.total_memory,
            multi_processor_count=self.multi_processor_count,
            max_threads_per_multi_processor=self.max_threads_per_multi_processor,
            warp_size=32,
            regs_per_multiprocessor=65536,
            shared_memory_per_block=49152,
            shared_memory_per_block_optin=232448,
            shared_memory_per_multiprocessor=233472,
            L2_cache_size=50 << 20,
            is_integrated=False,
            is_multi_gpu_board=False,
            gcnArchName="",
        )
