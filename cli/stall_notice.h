// Tells on stderr that the program is stuck, or that it moves again.
#pragma once

#include "base/child.h"
#include "record/run_directory.h"
#include "supervise/stall_watch.h"

namespace holdfast::cli {

// From a process of its own: the record takes memory and time to read that the supervisor must not
// spend, and stderr may not take what is written. Returns that process.
Child tell_of_stall(const RunDirectory& directory, const StallNews& news, bool mid_line);

}  // namespace holdfast::cli
