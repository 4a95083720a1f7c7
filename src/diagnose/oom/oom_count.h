// Ties an oom_kill count to one pid, or says why that is not possible: a count that rose only shows
// that some process in the cgroup was killed.
#pragma once

#include <cstdint>

#include "diagnose/death/death.h"

namespace holdfast {

// Why a kill is not certain, or is somebody else's.
struct OomDoubt {
    enum class Kind {
        none,
        cgroup_unknown,
        count_unreadable,
        unmoved,             // the count of its cgroup did not rise
        logged_for_another,  // the kernel log names another process of the cgroup
        first_took_it,       // `first` died before, which explains the count
        untimed,             // it is not known when the count rose
        crowd,               // it rose by `count` while `gone` processes ended
        limit_not_named,     // the kernel log does not say which limit it was
        machine_full_too,
        no_oom_event,  // the limit was touched; reclaim may have been enough
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
        unreadable,  // there is no counter of its own cgroup
        unmoved,     // no kill there around this death: it was not the kernel's OOM killer
        others,      // it rose, but others who died first explain every count
        unclear,     // it rose, but just as likely for somebody else
        probably,    // it rose, most likely for this process
        ours,        // it rose, and nobody else can explain it
    };
    Fit fit = Fit::unreadable;
    std::uint64_t from = 0, to = 0;
    OomDoubt why{};  // why the fit is not `ours`
};

OomCount oom_count_of(const Death& death);

}  // namespace holdfast
