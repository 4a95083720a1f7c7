// Unwinds in a separate process: debug information is large and untrusted, and neither a crash nor
// a hang of the library that reads it may reach the caller.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "record/crash_box.h"

namespace holdfast {

struct IsolationLimits {
    Nanos frames_within;    // after this, only the faulting place
    Nanos lines_within;     // after this, the frames without files and lines
    std::size_t text_size;  // of the answer
};

// The stack as native_text() writes it; a line names what could not be read in time.
std::string unwind_isolated(const CrashRecord& crash, const IsolationLimits& limits);

}  // namespace holdfast
