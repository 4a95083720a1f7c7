// What matters of a GPU for memory, and a catalogue of common GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::fit {

struct DeviceProfile {
    std::string_view name;
    std::uint32_t sm;  // 90 for sm_90
    std::uint32_t multiprocessors;
    std::uint32_t threads_per_multiprocessor;
    Bytes usable;  // what torch reports as the device's total
};

std::span<const DeviceProfile> device_catalogue();

// "RTX 4090", "rtx4090", "NVIDIA H200": only letters and digits count. An Error lists similar
// names.
Result<DeviceProfile> find_device(std::string_view name);

// cuBLAS' workspace per thread, as torch sizes it for the architecture.
Bytes cublas_workspace(std::uint32_t sm);
inline constexpr Bytes cublaslt_workspace = Bytes::mib(1);

// What the CUDA context and loaded kernels took on an H200 (driver 580, CUDA 13), the only GPU
// measured so far. `holdfast fit --calibrate` measures it on another.
inline constexpr Bytes measured_context{808'255'488};

}  // namespace holdfast::fit
