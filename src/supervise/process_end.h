// How a process that is not our child ended: the kernel tells its parent, and anybody who asks in
// time.
#pragma once

#include <sys/types.h>

#include <optional>

namespace holdfast {

// Call when `pidfd` has become readable. While the process is a zombie /proc/PID/stat tells; once
// it is reaped, the pidfd does (Linux 6.15). Nothing if the parent was faster, on an older kernel.
std::optional<int> end_of_process(int pidfd, int process_dir);

}  // namespace holdfast
