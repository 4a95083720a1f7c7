// Makes crash records final: the stack unwound and named, the copy of its memory erased.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "record/run_directory.h"

namespace holdfast {

struct SettleOptions {
    Nanos frames_within = std::chrono::seconds(2);        // to unwind the stack
    Nanos lines_within = std::chrono::milliseconds(300);  // then to look up files and lines
};

// Skips records that are settled already, and those that a living process may still write. Safe in
// any number of processes at once; a run without a crash.box is no error.
Status settle_crashes(const RunDirectory& directory, const SettleOptions& options = {});
Status settle_crashes(int fd, const SettleOptions& options = {});

}  // namespace holdfast
