// The environment for a program about to be started, built on the caller's own stack.
#pragma once

#include <alloca.h>

#include "agent/process/environment.h"

namespace holdfast::agent {

// Larger environments are handed on as they are: the stack is not ours alone.
inline constexpr std::size_t largest_environment = 16384;

}  // namespace holdfast::agent

// Declares `char* const* name`: `envp` with our entries, or `envp` itself where we have no business
// (not supervised, not `wanted`). A macro, because alloca's memory ends with the function it is in.
#define HOLDFAST_SPAWN_ENVIRONMENT(name, envp, wanted)                                        \
    char* const* name = (envp);                                                               \
    if (!holdfast::agent::supervised_run().empty() && (wanted)) {                             \
        const holdfast::agent::EnvironmentSize needed = holdfast::agent::restored_size(envp); \
        if (needed.entries <= holdfast::agent::largest_environment) {                         \
            char** entries = static_cast<char**>(::alloca(needed.entries * sizeof(char*)));   \
            char* bytes = static_cast<char*>(::alloca(needed.bytes));                         \
            if (holdfast::agent::restore_environment(envp, entries, bytes)) (name) = entries; \
        }                                                                                     \
    }
