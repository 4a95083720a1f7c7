#include "diagnose/oom/oom_kill.h"

#include <csignal>

#include "diagnose/finding.h"
#include "diagnose/oom/memory_held.h"

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
    // If memsw.limit equals the limit, failcnt can stay 0 through a kill.
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
        // v2 events count in every ancestor too, so the innermost level that counted one is where
        // the limit was reached. On v1 each level counts for itself: take the fullest.
        const bool better = !best || (here->decisive && !best->decisive) ||
                            (cgroup.version == 1 && fullness(level) > fullness(*best->level));
        if (better) best = here;
    }
    return best;
}

namespace {

using Doubt = OomDoubt::Kind;

const CgroupLevel* level_named(const CgroupEvidence* cgroup, const std::string& path) {
    if (cgroup == nullptr) return nullptr;
    for (const CgroupLevel& level : cgroup->levels)
        if (!path.empty() && level.path == path) return &level;
    return nullptr;
}

OomKill from_log(const Death& death, const KernelLogEntry& entry) {
    OomKill kill;
    kill.confidence = Confidence::certain;
    kill.scope =
        entry.constraint == "CONSTRAINT_MEMCG" ? OomKill::Scope::cgroup : OomKill::Scope::machine;
    // Some kernels log the kill without saying where: then the counters must tell.
    const bool placed = !entry.constraint.empty() || !entry.oom_memcg.empty();
    if (!entry.oom_memcg.empty()) kill.scope = OomKill::Scope::cgroup;
    const CgroupEvidence* cgroup = death.cgroup();
    const std::optional<LimitReached> reached =
        cgroup != nullptr ? limit_reached(*cgroup) : std::nullopt;
    if (!placed) {
        kill.scope = reached ? OomKill::Scope::cgroup : OomKill::Scope::machine;
        if (!reached || !reached->decisive) {
            kill.confidence = Confidence::likely;
            kill.doubt = {Doubt::limit_not_named};
        }
    }
    if (kill.scope == OomKill::Scope::cgroup) {
        kill.level = level_named(cgroup, entry.oom_memcg);
        if (kill.level == nullptr && reached) kill.level = reached->level;
    }
    kill.logged = &entry;
    if (kill.scope == OomKill::Scope::cgroup) kill.reached = reached;
    return kill;
}

bool large_on_machine(const Death& death) {
    const std::optional<Bytes> own = held_by_tree(death);
    return own && death.all.host.total && own->share_of(*death.all.host.total) >= 0.3;
}

// The count is this process's own. Finds out whose limit was reached.
OomKill place(const Death& death, const CgroupEvidence& cgroup, OomKill kill) {
    const HostEvidence& host = death.all.host;
    const std::optional<LimitReached> reached = limit_reached(cgroup);
    const bool full = machine_was_full(host);
    if (reached && (reached->decisive || !full)) {
        kill.level = reached->level;
        kill.reached = reached;
        // v1 counts a touched limit even if reclaim was enough, so a full machine may be the reason
        // instead.
        const bool either = cgroup.version == 1 && full;
        if (!reached->decisive || either) {
            kill.confidence = Confidence::likely;
            kill.doubt = {either ? Doubt::machine_full_too : Doubt::no_oom_event};
        }
        return kill;
    }
    if (full) {
        kill.scope = OomKill::Scope::machine;
        kill.by_host_figures = true;
        if (!host_count_moved(host) || !large_on_machine(death) || reached) {
            kill.confidence = Confidence::likely;
            if (kill.doubt.none()) kill.doubt = {Doubt::machine_unsettled};
        }
        return kill;
    }
    kill.confidence = Confidence::likely;
    kill.doubt = {Doubt::no_limit_in_sight};
    return kill;
}

// What the tree, other processes under the same limit and files in shared memory held.
Bytes accounted_for(const Death& death, const CgroupEvidence& cgroup) {
    Bytes sum = held_by_tree(death).value_or(Bytes{}) + cgroup.shmem.value_or(Bytes{});
    for (const Neighbour& neighbour : death.all.neighbours)
        if (neighbour.same_cgroup) sum += neighbour.rss;
    return sum;
}

// Used if the own cgroup has no counter. The machine's counter moves for a kill anywhere, so
// everything else must point the same way, and it is never more than likely.
std::optional<OomKill> from_machine_alone(const Death& death) {
    const HostEvidence& host = death.all.host;
    const CgroupEvidence* cgroup = death.cgroup();
    if (!host_count_moved(host) || !machine_was_full(host) || !large_on_machine(death))
        return std::nullopt;
    if (cgroup != nullptr && limit_reached(*cgroup)) return std::nullopt;
    OomKill kill;
    kill.scope = OomKill::Scope::machine;
    kill.doubt = {Doubt::own_count_unread};
    kill.by_host_figures = true;
    return kill;
}

}  // namespace

bool host_count_known(const HostEvidence& host) {
    return host.oom_kill_first && host.oom_kill_last;
}

bool host_count_moved(const HostEvidence& host) {
    return host_count_known(host) && *host.oom_kill_last > *host.oom_kill_first;
}

std::optional<OomKill> oom_kill_of(const Death& death) {
    if (death.exit_known() && !death.by(SIGKILL)) return std::nullopt;
    if (const KernelLogEntry* entry = logged_oom_kill(death)) return from_log(death, *entry);
    if (log_clears(death)) return std::nullopt;

    const OomCount count = oom_count_of(death);
    if (count.fit == OomCount::Fit::unreadable) return from_machine_alone(death);
    if (count.fit != OomCount::Fit::ours && count.fit != OomCount::Fit::probably)
        return std::nullopt;

    const CgroupEvidence& cgroup = *death.cgroup();
    OomKill kill;
    kill.confidence = count.fit == OomCount::Fit::ours ? Confidence::certain : Confidence::likely;
    kill.doubt = count.why;
    kill.count = count;
    kill = place(death, cgroup, std::move(kill));
    // If neither the dead process nor any survivor held much, another process may have filled the
    // limit between two looks, and the count may be its own.
    if (kill.level != nullptr && kill.level->limit && kill.confidence == Confidence::certain &&
        accounted_for(death, cgroup).share_of(*kill.level->limit) < 0.25) {
        kill.confidence = Confidence::likely;
        kill.doubt = {Doubt::filler_unseen};
    }
    if (death.told != Death::Told::status && death.told != Death::Told::text) {
        kill.confidence = at_most(kill.confidence, Confidence::likely);
        if (kill.doubt.none()) kill.doubt = {Doubt::status_unseen};
    }
    return kill;
}

}  // namespace holdfast
