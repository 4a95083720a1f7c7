// The cheap part of `holdfast check`, done while a program starts.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/child.h"
#include "record/run_directory.h"

namespace holdfast::cli {

struct StartCheck {
    std::string program;    // the command's first word
    pid_t command = 0;      // whose limits count
    std::string directory;  // where it works
    bool may_speak = false;
};

// In a separate process, after the program's start: stores the findings in the run, and prints a
// line on stderr only if something blocks.
Child check_at_start(const RunDirectory& directory, const StartCheck& plan);

// A program that dies at once may be faster than the check: gives it a moment to be written.
void await_start_check(const RunDirectory& directory);

}  // namespace holdfast::cli
