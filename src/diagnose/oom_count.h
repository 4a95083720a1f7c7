// Whose is an oom_kill count? A counter that moved says that somebody in the cgroup was killed;
// this file ties it to one pid, or says why that cannot be done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/death.h"

namespace holdfast {

struct OomCount {
    enum class Fit {
        unreadable,  // no counter of the own cgroup to compare
        unmoved,     // no kill there around this death: the kernel's OOM killer did not do it
        others,      // moved, and every count is explained by somebody else who died first
        unclear,     // moved, but it may as well belong to somebody else
        probably,    // moved, most likely for this process
        ours,        // moved, and nobody else can account for it
    };
    Fit fit = Fit::unreadable;
    std::uint64_t from = 0, to = 0;
    std::string why;  // for everything but `ours`, in words
};

OomCount oom_count_of(const Death& death);

// "memory.events" or "memory.oom_control"
std::string_view oom_counter_file(const CgroupEvidence& cgroup);

}  // namespace holdfast
