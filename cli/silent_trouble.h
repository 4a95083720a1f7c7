// Reports silent trouble (a leak, a hang), one line for as long as it lasts: on stderr, and in a
// file that a notebook's running cell and its status bar read.
#pragma once

#include <string>

#include "base/child.h"
#include "base/time.h"
#include "record/run_directory.h"

namespace holdfast::cli {

// False: it was reported before.
bool note_trouble(const RunDirectory& directory, const std::string& kind, const std::string& text);

// The trouble is over: a status bar must no longer show it.
void forget_trouble(const RunDirectory& directory, const std::string& kind);

// Memory grows, and would be full in this long. Looks for the line that keeps it, and reports
// nothing if none is certain, because the program may just be loading. Returns the process that
// looks.
Child tell_of_filling(const RunDirectory& directory, Nanos fills_in, bool mid_line);

}  // namespace holdfast::cli
