// Unwinds in a separate process: debug information is large and untrusted, and the library that
// reads it may crash or hang.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "record/crash_box.h"

namespace holdfast {

struct IsolationLimits {
    Nanos frames_within;    // later, only the faulting place is kept
    Nanos lines_within;     // later, the frames have no files and lines
    std::size_t text_size;  // at most, in bytes
};

// The stack as native_text() writes it; a line names what could not be read in time.
std::string unwind_isolated(const CrashRecord& crash, const IsolationLimits& limits);

}  // namespace holdfast
