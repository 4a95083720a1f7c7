// Reports trouble that the program does not notice (a leak, a hang), one line each: on stderr, and
// while it lasts in a file that a notebook's running cell and its status bar read.
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

// Memory grows and will be full in `fills_in`. Looks for the line that keeps it, and reports
// nothing unless one is certain, because the program may just be loading. Returns the process that
// looks.
Child tell_of_filling(const RunDirectory& directory, Nanos fills_in, bool mid_line);

}  // namespace holdfast::cli
