// Puts the agent into the environment of the command, and so into everything the command starts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

class Injection {
public:
    // The agent's library where it was installed or built beside this program; an error says why it
    // cannot be used.
    static Result<Injection> find();
    static Injection of(std::string library) { return Injection(std::move(library), UniqueFd()); }

    // `environment` ("NAME=value", as execve takes it) as the command must get it. Unchanged when
    // the command cannot take the agent.
    std::vector<std::string> environment(const char* const* environment,
                                         const std::string& run_directory,
                                         const std::string& program) const;

private:
    Injection(std::string library, UniqueFd held)
        : library_(std::move(library)), held_(std::move(held)) {}

    std::string library_;  // as LD_PRELOAD can name it
    UniqueFd held_;
};

}  // namespace holdfast
