// What `holdfast run` put into the environment: taken out of the program's sight at load, put back
// for the programs it starts.
#pragma once

#include <cstddef>

#include "agent/base/text.h"

namespace holdfast::agent {

inline constexpr char run_variable[] = "HOLDFAST_RUN";  // the run's directory

// Reads and removes our entries from `environ`. Once, from the constructor.
void hide_from_environment();

// The run's directory; empty when not supervised.
Text supervised_run();

// How many entries, and how many bytes of text, restore_environment needs for `environment`.
struct EnvironmentSize {
    std::size_t entries = 0;
    std::size_t bytes = 0;
};
EnvironmentSize restored_size(char* const* environment);

// `environment` with our entries put back, in memory of the caller's: exec may be called in the
// child of a vfork, where nothing may be allocated. LD_PRELOAD keeps what the program put there.
// False: leave the environment as it is (it says HOLDFAST=0, or another run's supervisor made it).
bool restore_environment(char* const* environment, char** entries, char* bytes);

// "LD_PRELOAD=..." as a child must have it, given what the program has set; into `out`.
void preload_for_child(Text theirs, char* out, std::size_t room);

}  // namespace holdfast::agent
