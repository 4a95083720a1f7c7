// Which limit of a cgroup chain was reached.
#pragma once

#include <optional>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

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

}  // namespace holdfast
