// /proc/PID/maps, counted only: vm.max_map_count bounds the number of its lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace holdfast::sources {

struct MapCount {
    std::uint64_t mappings = 0;
    bool complete = true;  // false: there are more, the reading stopped at its bound
};

// Not to be read at every look: the kernel walks all mappings under the process's lock.
Result<MapCount> count_mappings(int process_dir, std::size_t limit = 16U << 20U);

}  // namespace holdfast::sources
