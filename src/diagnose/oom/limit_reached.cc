#include "diagnose/oom/limit_reached.h"

namespace holdfast {
namespace {

using Sign = LimitReached::Sign;

bool rose(std::optional<std::uint64_t> first, std::optional<std::uint64_t> last) {
    return first && last && *last > *first;
}

std::optional<LimitReached> reached_v2(const CgroupLevel& level) {
    if (rose(level.oom_first, level.oom_last)) return LimitReached{&level, true, Sign::oom_event};
    if (rose(level.limit_hits_first, level.limit_hits_last))
        return LimitReached{&level, false, Sign::touched};
    return std::nullopt;
}

std::optional<LimitReached> reached_v1(const CgroupLevel& level) {
    if (rose(level.limit_hits_first, level.limit_hits_last))
        return LimitReached{&level, true, Sign::failcnt};
    // With memsw.limit equal to the limit the failcnt can stay 0 through a kill.
    if (level.peak && level.peak->share_of(*level.limit) >= 0.99)
        return LimitReached{&level, true, Sign::peak};
    if (level.swap_limit && level.swap_usage && level.swap_limit->count > 0 &&
        level.swap_usage->share_of(*level.swap_limit) >= 0.99)
        return LimitReached{&level, true, Sign::with_swap};
    return std::nullopt;
}

double fullness(const CgroupLevel& level) {
    const Bytes used = level.peak.value_or(level.usage_last.value_or(Bytes{}));
    return used.share_of(*level.limit);
}

}  // namespace

std::optional<LimitReached> limit_reached(const CgroupEvidence& cgroup) {
    std::optional<LimitReached> best;
    for (const CgroupLevel& level : cgroup.levels) {
        if (!level.limit || level.limit->count == 0) continue;
        const std::optional<LimitReached> here =
            cgroup.version == 1 ? reached_v1(level) : reached_v2(level);
        if (!here) continue;
        // v2 events climb to every ancestor, so the innermost one is whose limit it was. On v1 each
        // level counts for itself, and the fullest is the one.
        const bool better = !best || (here->decisive && !best->decisive) ||
                            (cgroup.version == 1 && fullness(level) > fullness(*best->level));
        if (better) best = here;
    }
    return best;
}

}  // namespace holdfast
