// What this process is to the kernel.
#pragma once

#include <cstdint>

namespace holdfast::agent {

// Field 22 of /proc/self/stat: with the pid, names this process and no later one. 0 when unknown.
// Read anew each time (a child of fork has another); async-signal-safe.
std::uint64_t own_start_ticks();

// The command line of `pid`, words parted by spaces, cut to `room`; 0 when it cannot be read.
std::uint64_t command_of(int pid, char* out, std::uint64_t room);

int own_thread_id();

}  // namespace holdfast::agent
