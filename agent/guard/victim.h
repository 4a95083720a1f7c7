// Which process the kernel would kill if memory ran out now. If that process is not watched, the
// watched program is not in danger, and a refusal would only do harm.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

// Where memory is scarce.
struct Shortage {
    // How many levels above our own cgroup; `whole_machine` is the machine itself.
    std::uint32_t levels_up = 0;
    std::uint32_t version = 0;  // of the cgroups
    std::uint64_t limit = 0;
};
inline constexpr std::uint32_t whole_machine = ~std::uint32_t{0};

// What a process holds, from its /proc/PID/status, weighted by its oom_score_adj. Negative: the
// kernel spares it, or its memory cannot be seen.
std::int64_t weight_of(Text status, Text adjustment, std::uint64_t limit);

// The path of the memory controller in a /proc/PID/cgroup; empty where there is none.
Text memory_path(Text cgroup, std::uint32_t version);

// True: once this process has taken `more` bytes, the kernel would kill a process without our
// agent rather than this one. `proc` is a directory like /proc; reads two files per process.
bool stranger_dies_first(const char* proc, pid_t own, const Shortage& shortage, std::uint64_t more);

}  // namespace holdfast::agent
