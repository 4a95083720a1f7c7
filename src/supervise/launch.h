// Starts the program exactly as a shell would have, and ends as the program ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/result.h"
#include "supervise/own_state.h"

namespace holdfast {

struct Launch {
    std::vector<std::string> command;
    const OwnState* state = nullptr;         // what to put back first; null: nothing
    int output = -1;                         // what takes the place of `replaced`
    std::vector<int> replaced{};             // the program's stderr, and all that is the same
    std::vector<std::string> environment{};  // empty: our own
    bool dies_with_us = false;               // killed should we end first
    // Called with the process before it executes anything. If we die before that, it never executes
    // anything.
    std::function<void(pid_t)> made{};
};

struct Launched {
    Child child;       // none: it could not be made
    Error exec_error;  // its number is exec's; 0: the program runs, or was never tried
};

// Comes back once the program has really been executed, or could not be: ENOENT makes a shell say
// 127, anything else 126. Without a child and without an error of exec nothing has happened; the
// Error tells what we lacked.
Result<Launched> launch(const Launch& plan);

// Replaces this process by the command; returns only on failure.
Error replace_by(const std::vector<std::string>& command);

// Ends this process as the program ended, so that a shell, make or Slurm sees no difference.
// `wait_status` as waitpid gives it.
[[noreturn]] void end_as(int wait_status);

}  // namespace holdfast
