// The variables that `holdfast run` put into the environment: hidden from the program at load,
// restored for the programs it starts.
#pragma once

#include <cstddef>

#include "agent/base/text.h"

namespace holdfast::agent {

inline constexpr char run_variable[] = "HOLDFAST_RUN";  // the run's directory
// How many seccomp filters there were when the environment was made. For programs that do not load
// us themselves: the programs that they start must compare.
inline constexpr char filters_variable[] = "HOLDFAST_FILTERS";

// Reads and removes our entries from `environ`. Once, from the constructor.
void hide_from_environment();

// The run's directory; empty when not supervised.
Text supervised_run();

// As many as filters_variable says; -1 where it was not set.
int filters_before();

// Bytes that restore_environment needs for `environment`.
std::size_t restored_size(char* const* environment);

// `environment` with our entries restored, in the caller's memory (aligned for pointers): exec may
// be called in the child of a vfork, where nothing may be allocated. LD_PRELOAD keeps the program's
// entries. Null: leave the environment as it is (it says HOLDFAST=0, or another run's supervisor
// made it). `with_filters`: restores filters_variable, too.
char* const* restore_environment(char* const* environment, void* memory, bool with_filters);

}  // namespace holdfast::agent
