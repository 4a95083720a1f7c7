// Tells on stderr that the program is stuck, or that it moves again.
#pragma once

#include "base/child.h"
#include "record/run_directory.h"
#include "supervise/stall_watch.h"

namespace holdfast::cli {

// Works in a separate process, which it returns: reading the record takes memory and time that the
// supervisor must not spend, and stderr may block.
Child tell_of_stall(const RunDirectory& directory, const StallNews& news, bool mid_line);

}  // namespace holdfast::cli
