// The processes of the machine: all their pids, and the largest of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "sources/roots.h"

namespace holdfast::sources {

// In no order; at most `limit`.
Result<std::vector<int>> list_processes(const Roots& roots, std::size_t limit = 65536);

struct LargeProcess {
    int pid = 0;
    Bytes rss;
};

// The `count` largest by resident memory, largest first. One small read per process of the machine:
// for now and then, not for every look.
Result<std::vector<LargeProcess>> largest_processes(const Roots& roots, std::size_t count);

}  // namespace holdfast::sources
