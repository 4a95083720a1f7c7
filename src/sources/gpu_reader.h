// The GPUs, through NVIDIA's management library where there is one, else none at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace holdfast::sources {

struct GpuProcess {
    int pid = 0;                // 0: of another pid namespace
    std::optional<Bytes> used;  // absent where the driver does not tell (WSL, MIG)
};

struct GpuReading {
    int index = 0;  // NVML's order, by bus; CUDA_VISIBLE_DEVICES and CUDA's own may differ
    std::string name;
    std::optional<Bytes> total, used, free;
    std::optional<int> utilisation_percent, temperature_celsius;
    std::optional<std::uint64_t> clock_event_reasons;  // NVML's bits
    std::optional<std::uint64_t> uncorrected_ecc;      // since the driver was loaded
    std::vector<GpuProcess> processes;                 // those with a compute context
    bool lost = false;                                 // fell off the bus
};

struct GpuXid {
    int index = 0;
    int xid = 0;
};

class GpuReader {
public:
    virtual ~GpuReader() = default;
    // Empty where GPUs can be read, else why not: for the verdict's list of what was not seen.
    virtual std::string absent_because() const = 0;
    virtual std::vector<GpuReading> read() = 0;
    // Xid events since the last call; never waits.
    virtual std::vector<GpuXid> new_xids() = 0;
};

// Loads libnvidia-ml.so.1. Opening a GPU can take tens of milliseconds, and several hundred where
// nothing else holds the driver: not on the way to starting the user's program.
std::unique_ptr<GpuReader> make_gpu_reader(const char* library = "libnvidia-ml.so.1");

}  // namespace holdfast::sources
