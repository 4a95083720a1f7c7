// Which thread of the kernel each Python thread is.
#pragma once

#include <vector>

#include "frames/walk.h"
#include "sources/process_memory.h"

namespace holdfast::sources {

// One number per state, 0 where it is not known. Python's own figure counts only if the process has
// such a thread: a child of fork may still carry its parent's, 3.10 has none, and inside a
// container threads are numbered differently.
std::vector<int> tids_of(frames::CachedMemory<ProcessMemory, 4096, 64>& memory, int process_dir,
                         const std::vector<frames::ThreadState>& states);

}  // namespace holdfast::sources
