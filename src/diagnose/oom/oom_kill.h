// Whether the kernel's OOM killer killed a process, at which limit, and how sure that is.
#pragma once

#include <optional>
#include <vector>

#include "base/confidence.h"
#include "diagnose/death/death.h"
#include "diagnose/oom/oom_count.h"
#include "model/evidence.h"

namespace holdfast {

// Which limit of a cgroup chain was reached.
struct LimitReached {
    const CgroupLevel* level = nullptr;
    // v2: the level counted an `oom` event, which a machine-wide kill does not cause. v1: the limit
    // was touched. Otherwise the limit was touched, but reclaim may have been enough.
    bool decisive = false;
    // What shows it: an oom event, the count of limit hits, the peak, or swap and memory together.
    enum class Sign { oom_event, touched, failcnt, peak, with_swap };
    Sign sign = Sign::touched;
};

std::optional<LimitReached> limit_reached(const CgroupEvidence& cgroup);

struct OomKill {
    enum class Scope { cgroup, machine };
    Scope scope = Scope::cgroup;
    Confidence confidence = Confidence::likely;
    const CgroupLevel* level = nullptr;  // whose limit, if that is known
    OomDoubt doubt{};                    // why it is not certain
    // What shows it.
    const KernelLogEntry* logged = nullptr;
    std::optional<OomCount> count;
    std::optional<LimitReached> reached;
    bool by_host_figures = false;
};

// Nothing when the process did not end by SIGKILL, when the counters say that it was not the OOM
// killer, and when they cannot be tied to this process.
std::optional<OomKill> oom_kill_of(const Death& death);

// The machine's own count of kills.
bool host_count_known(const HostEvidence& host);
bool host_count_moved(const HostEvidence& host);

}  // namespace holdfast
