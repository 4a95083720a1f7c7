// Whose is an oom_kill count? A counter that rose says that some process in the cgroup was killed;
// this file ties it to one pid, or says why that is not possible.
#pragma once

#include <cstdint>

#include "diagnose/death/death.h"

namespace holdfast {

// Why a kill is not certain, or not this process's.
struct OomDoubt {
    enum class Kind {
        none,
        cgroup_unknown,
        count_unreadable,
        unmoved,             // the count of its cgroup did not rise
        logged_for_another,  // the kernel log names somebody else of the cgroup
        first_took_it,       // `first` died before, and the count is explained by that
        untimed,             // it is not known when the count rose
        crowd,               // it moved by `count` while `gone` processes went away
        limit_not_named,     // the kernel log does not say which limit it was
        machine_full_too,
        no_oom_event,  // the limit was touched, and that may have been all
        machine_unsettled,
        no_limit_in_sight,
        own_count_unread,
        filler_unseen,  // who had filled the limit was not seen
        status_unseen,
    };
    Kind kind = Kind::none;
    const ProcessEvidence* first = nullptr;
    std::uint64_t count = 0, gone = 0;
    bool none() const { return kind == Kind::none; }
};

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
    OomDoubt why{};  // for everything but `ours`
};

OomCount oom_count_of(const Death& death);

}  // namespace holdfast
