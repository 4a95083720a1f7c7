// What a dead kernel leaves running in its process group: forked children that hold its ports.
#pragma once

#include <sys/types.h>

#include "sources/roots.h"

namespace holdfast {

// Kills the processes of our group that came from the kernel, except one. Jupyter kills the whole
// group when it restarts a kernel; processes that left the group run on in both cases.
void end_leftovers(const sources::Roots& roots, pid_t except);

}  // namespace holdfast
