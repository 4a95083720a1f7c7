// Which limit of a cgroup chain was run into.
#pragma once

#include <optional>
#include <vector>

#include "model/evidence.h"
#include "model/finding.h"

namespace holdfast {

struct LimitReached {
    const CgroupLevel* level = nullptr;
    // v2: the level counted an `oom` event, which a machine-wide kill does not cause. v1: the limit
    // was touched. Otherwise the limit was touched, but reclaim may have been enough.
    bool decisive = false;
    Observation seen;
};

std::optional<LimitReached> limit_reached(const CgroupEvidence& cgroup);

}  // namespace holdfast
