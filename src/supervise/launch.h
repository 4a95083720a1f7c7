// Starts the program exactly as a shell would have.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/result.h"

namespace holdfast {

struct Launch {
    std::vector<std::string> command;
    sigset_t signal_mask{};
    int stdout_fd = -1;  // -1: inherited
    int stderr_fd = -1;
    std::vector<std::string> environment;  // empty: our own
    bool dies_with_us = false;             // killed should we end first
};

// The pid once the program has really been executed. An Error's number is that of exec: ENOENT
// makes a shell say 127, anything else 126.
Result<pid_t> launch(const Launch& plan);

// Replaces this process by the command; returns only on failure.
Error replace_by(const std::vector<std::string>& command);

}  // namespace holdfast
