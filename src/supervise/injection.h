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

    // The environment for the command, made from `environment` ("NAME=value", as execve takes it).
    // Unchanged if the command cannot load the agent.
    std::vector<std::string> environment(const char* const* environment,
                                         const std::string& run_directory,
                                         const std::string& program) const;

private:
    Injection(std::string library, UniqueFd held)
        : library_(std::move(library)), held_(std::move(held)) {}

    std::string library_;  // in a form that LD_PRELOAD can name
    UniqueFd held_;
};

}  // namespace holdfast
