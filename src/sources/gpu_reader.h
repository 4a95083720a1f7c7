// The GPUs, read through NVIDIA's management library; without the library, none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace holdfast::sources {

struct GpuProcess {
    int pid = 0;                // 0: in another pid namespace
    std::optional<Bytes> used;  // absent where the driver does not tell (WSL, MIG)
};

struct GpuReading {
    int index = 0;  // NVML's order, by bus; CUDA's and CUDA_VISIBLE_DEVICES may differ
    std::string name;
    std::optional<Bytes> total, used, free;
    std::optional<int> utilisation_percent, temperature_celsius;
    std::optional<std::uint64_t> clock_event_reasons;  // NVML's bits
    std::optional<std::uint64_t> uncorrected_ecc;      // since the driver was loaded
    std::vector<GpuProcess> processes;                 // those with a compute context
    bool lost = false;                                 // fell off the bus
};

// Read once, before a run: the GPU's settings and its error history.
struct GpuHealth {
    std::optional<int> capability_major, capability_minor;
    std::optional<int> slowdown_celsius;                // above this it slows itself down
    std::optional<int> persistence;                     // 0: unloaded with its last user
    std::optional<int> compute_mode;                    // 0 default, 2 prohibited, 3 exclusive
    std::optional<int> mig;                             // 1: split into instances
    std::optional<int> mig_devices;                     // how many there are
    std::optional<int> link_width, link_width_most;     // PCIe lanes
    std::optional<std::uint64_t> link_replays;          // packets that were sent again
    std::optional<int> remap_pending, remap_failed;     // rows of memory, 0 or 1
    std::optional<std::uint64_t> remapped_uncorrected;  // rows already replaced
    std::optional<int> pages_pending;                   // the same on older GPUs
    std::optional<std::uint64_t> recovery_action;       // 0 none, 1 reset, 2 reboot, 3, 4 drain
    std::optional<int> fabric_state, fabric_status;     // NVSwitch: 3 is ready; an NVML error
};

struct GpuXid {
    int index = 0;
    int xid = 0;
};

class GpuReader {
public:
    virtual ~GpuReader() = default;
    // Why GPUs cannot be read, for the verdict's list of what was not seen; empty if they can.
    virtual std::string absent_because() const = 0;
    virtual std::vector<GpuReading> read() = 0;
    // Xid events since the last call; never waits.
    virtual std::vector<GpuXid> new_xids() = 0;
    // In the order of read().
    virtual std::vector<GpuHealth> read_health() = 0;
    virtual std::string driver_version() = 0;  // "580.159.04"; empty if unknown
};

// Loads libnvidia-ml.so.1. Opening a GPU can take tens of milliseconds, or several hundred if
// nothing else uses the driver: do not do it before starting the user's program.
std::unique_ptr<GpuReader> make_gpu_reader(const char* library = "libnvidia-ml.so.1");

}  // namespace holdfast::sources
