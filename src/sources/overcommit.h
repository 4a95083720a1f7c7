// The kernel's settings that refuse memory, mappings and processes while RAM is free.
#pragma once

#include <cstdint>
#include <optional>

#include "sources/roots.h"

namespace holdfast::sources {

struct KernelSettings {
    std::optional<int> overcommit_memory;        // 0 heuristic, 1 always, 2 strict
    std::optional<std::uint64_t> max_map_count;  // mappings per process
    std::optional<std::uint64_t> pid_max;        // processes and threads, by number
    std::optional<std::uint64_t> threads_max;    // and by count
};

// What cannot be read is absent.
KernelSettings read_kernel_settings(const Roots& roots);

}  // namespace holdfast::sources
