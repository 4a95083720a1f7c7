// How a process that is not our child ended: the kernel tells its parent, and whoever asks in time.
#pragma once

#include <sys/types.h>

#include <optional>

namespace holdfast {

// After `pidfd` became readable. Since Linux 6.15 the pidfd itself knows, even when the process has
// been reaped; before, /proc/PID/stat tells while it is a zombie. Nothing: its parent was faster.
std::optional<int> end_of_process(int pidfd, int process_dir);

}  // namespace holdfast
