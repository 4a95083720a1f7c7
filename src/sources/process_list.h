// Lists processes: all on the machine, the largest ones, the children of one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

// The `count` largest processes by resident memory, largest first. Makes a small read for each
// process on the machine, so it is not for every look.
Result<std::vector<LargeProcess>> largest_processes(const Roots& roots, std::size_t count);

// /proc/PID/task/TID/children: the direct children of a process, without scanning all of /proc.
Result<std::vector<int>> parse_pid_children(std::string_view text);

// ENOENT if this kernel has no such file (CONFIG_PROC_CHILDREN): compare the parents of
// list_processes instead. May miss a child that comes or goes meanwhile: the kernel guarantees the
// list only for a frozen process.
Result<std::vector<int>> read_pid_children(int process_dir);

}  // namespace holdfast::sources
