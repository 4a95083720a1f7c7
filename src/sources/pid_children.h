// /proc/PID/task/TID/children: the direct children of a process, without a scan of all of /proc.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

Result<std::vector<int>> parse_pid_children(std::string_view text);

// ENOENT: this kernel has no such file (CONFIG_PROC_CHILDREN); compare the parents of
// list_processes instead. A child that comes or goes meanwhile may be missed: the kernel promises
// the list only for a frozen process.
Result<std::vector<int>> read_pid_children(int process_dir);

}  // namespace holdfast::sources
