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
    const OwnState* state = nullptr;         // restored first; null: nothing to restore
    int output = -1;                         // replaces each descriptor in `replaced`
    std::vector<int> replaced{};             // stderr, and other descriptors of the same pipe
    std::vector<std::string> environment{};  // empty: the same as ours
    bool dies_with_us = false;               // kill the program if we end first
    // Called with the process before it executes anything. If we die before that, it never executes
    // anything.
    std::function<void(pid_t)> made{};
};

struct Launched {
    Child child;       // empty: no process could be made
    Error exec_error;  // its number is exec's error; 0: exec succeeded, or was never tried
};

// Returns once the program has been executed or exec has failed: for ENOENT a shell exits with 127,
// for any other error with 126. Without a child and without an error of exec nothing has happened;
// the Error says what we lacked.
Result<Launched> launch(const Launch& plan);

// Replaces this process by the command; returns only on failure.
Error replace_by(const std::vector<std::string>& command);

// Ends this process as the program ended, so that a shell, make or Slurm sees no difference.
// `wait_status` is that of waitpid.
[[noreturn]] void end_as(int wait_status);

}  // namespace holdfast
