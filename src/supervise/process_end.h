// How a process that is not our child ended: the kernel reports it to the parent, and to whoever
// asks in time.
#pragma once

#include <sys/types.h>

#include <optional>

namespace holdfast {

// After `pidfd` became readable. /proc/PID/stat tells while it is a zombie, and since Linux 6.15
// the pidfd itself once it has been reaped. Nothing: its parent was faster, on an older kernel.
std::optional<int> end_of_process(int pidfd, int process_dir);

}  // namespace holdfast
