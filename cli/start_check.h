// The cheap part of `holdfast check`, done while a program starts.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/child.h"
#include "record/run_directory.h"

namespace holdfast::cli {

struct StartCheck {
    std::string program;    // the command's first word
    pid_t command = 0;      // the process whose limits count
    std::string directory;  // the command's working directory
    bool may_speak = false;
};

// Works in a separate process, after the program has started: stores the findings in the run, and
// prints a line on stderr only if something blocks.
Child check_at_start(const RunDirectory& directory, const StartCheck& plan);

// Waits a moment for the findings: a program that dies at once may be faster than the check.
void await_start_check(const RunDirectory& directory);

}  // namespace holdfast::cli
