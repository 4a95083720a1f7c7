// Reports trouble that the program does not notice (a leak, a hang), one line each: on stderr, and
// while it lasts in a file that a notebook's running cell and its status bar read.
#pragma once

#include <string>

#include "base/child.h"
#include "base/time.h"
#include "record/run_directory.h"

namespace holdfast::cli {

// `file` is run_file::stall_told or leak_told. False: it was reported before.
bool note_trouble(const RunDirectory& directory, const char* file, const std::string& text);

// The trouble is over: a status bar must no longer show it.
void forget_trouble(const RunDirectory& directory, const char* file);

// Memory grows and will be full in `fills_in`. Looks for the line that keeps it, and reports
// nothing unless one is certain, because the program may just be loading. Returns the process that
// looks.
Child tell_of_filling(const RunDirectory& directory, Nanos fills_in, bool mid_line);

}  // namespace holdfast::cli
