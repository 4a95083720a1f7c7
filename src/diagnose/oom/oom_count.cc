#include "diagnose/oom/oom_count.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <optional>
#include <tuple>

#include "base/time.h"
#include "diagnose/oom/memory_held.h"

namespace holdfast {
namespace {

using Fit = OomCount::Fit;
using Doubt = OomDoubt::Kind;

// The count moves when the kernel picks its victim; a large one may take a while to be gone.
constexpr Nanos dying{2'000'000'000};
constexpr Nanos forever = Nanos::max();

struct Window {
    RunTime after;
    RunTime noticed;
};

bool fits(const Window& window, RunTime last_seen, std::optional<RunTime> ended) {
    if (!ended) return window.noticed >= last_seen;
    return window.after <= *ended && window.noticed >= std::min(last_seen, earlier(*ended, dying));
}

// On v2 the events of a cgroup include those of the cgroups below it; on v1 they do not.
bool counted_together(const Evidence& all, const ProcessEvidence& own,
                      const ProcessEvidence& other) {
    if (own.cgroup == other.cgroup) return true;
    const CgroupEvidence* a = all.cgroup_of(own);
    const CgroupEvidence* b = all.cgroup_of(other);
    if (b == nullptr) return true;  // it may be in the same cgroup
    if (a == nullptr || a->levels.empty() || b->levels.empty() || a->version != 2) return false;
    const std::string& outer = a->levels.front().path;
    const std::string& inner = b->levels.front().path;
    return inner.size() > outer.size() && inner.compare(0, outer.size(), outer) == 0 &&
           (outer.ends_with('/') || inner[outer.size()] == '/');
}

struct Moves {
    std::uint64_t count = 0;
    std::uint64_t from = std::numeric_limits<std::uint64_t>::max(), to = 0;
    bool timed = true;  // false: it is not known when the count moved
    std::vector<Window> windows;

    void add(Window window, std::uint64_t before, std::uint64_t after) {
        count += after - before;
        from = std::min(from, before);
        to = std::max(to, after);
        windows.push_back(window);
    }
    bool fit(const ProcessEvidence& process) const {
        return std::any_of(windows.begin(), windows.end(), [&process](const Window& window) {
            return fits(window, process.last_seen, process.ended);
        });
    }
};

// The moves of the count around this death, from all looks and from the count at the end.
Moves moves_around(const Death& death, const CgroupEvidence& cgroup) {
    Moves moves;
    const RunTime last_seen = death.process != nullptr
                                  ? death.process->last_seen
                                  : earlier(death.time.value_or(RunTime{}), dying);
    const CgroupLevel& own = cgroup.levels.front();
    std::uint64_t told = own.oom_kill_first.value_or(0);
    RunTime told_at{};
    for (const OomKillMoved& kill : cgroup.kills) {
        const Window window{kill.after, kill.noticed};
        if (kill.after_count <= kill.before_count) continue;
        told = std::max(told, kill.after_count);
        told_at = std::max(told_at, kill.noticed);
        if (fits(window, last_seen, death.time))
            moves.add(window, kill.before_count, kill.after_count);
    }
    if (own.oom_kill_last && own.oom_kill_first && *own.oom_kill_last > told) {
        // Nobody looked while it moved: it happened at some time after the last look.
        moves.add({cgroup.kills.empty() ? RunTime{} : told_at, forever}, told, *own.oom_kill_last);
        moves.timed = false;
    }
    return moves;
}

struct Rivals {
    std::size_t killed = 0;        // our processes that were SIGKILLed around the same time
    std::size_t killed_first = 0;  // those of them that ended before this one
    std::size_t unseen = 0;        // our processes whose end nobody saw
    Bytes unseen_held;
    const ProcessEvidence* first = nullptr;
};

Rivals rivals_of(const Death& death, const Moves& moves) {
    Rivals rivals;
    for (const ProcessEvidence& other : death.all.processes) {
        if (other.pid == death.pid || !other.ended) continue;
        if (death.process != nullptr && !counted_together(death.all, *death.process, other))
            continue;
        if (!moves.fit(other)) continue;
        if (!other.exit) {
            ++rivals.unseen;
            rivals.unseen_held = std::max(rivals.unseen_held, held_by(other).value_or(Bytes{}));
        } else if (other.exit->signal == SIGKILL) {
            ++rivals.killed;
            if (death.time && *other.ended < *death.time) {
                ++rivals.killed_first;
                rivals.first = &other;
            }
        }
    }
    return rivals;
}

// How many kills of other pids of this cgroup the log names around this death.
std::uint64_t logged_for_others(const Death& death, const CgroupEvidence& cgroup,
                                const Moves& moves) {
    if (!death.all.host.in_first_pid_namespace) return 0;
    std::uint64_t count = 0;
    for (const KernelLogEntry& entry : death.all.kernel_log) {
        if (entry.kind != KernelLogEntry::Kind::oom_kill || !entry.pid) continue;
        if (*entry.pid == death.pid) return 0;
        if (entry.task_memcg != cgroup.levels.front().path) continue;
        count += std::any_of(moves.windows.begin(), moves.windows.end(), [&entry](const Window& w) {
            return entry.time >= earlier(w.after, dying) && entry.time <= later(w.noticed, dying);
        });
    }
    return count;
}

bool large_in_its_limit(const Death& death, const CgroupEvidence& cgroup, Bytes rival) {
    const std::optional<Bytes> own = held_at_end(death);
    if (!own || rival.count > own->count / 10) return false;
    const auto crowded = [&own](const CgroupLevel& level) {
        return level.limit && own->share_of(*level.limit) >= 0.5;
    };
    return std::any_of(cgroup.levels.begin(), cgroup.levels.end(), crowded);
}

std::pair<Fit, OomDoubt> judge(const Death& death, const CgroupEvidence& cgroup,
                               const Moves& moves) {
    const Rivals rivals = rivals_of(death, moves);
    const std::size_t strangers = cgroup.strangers_gone.size();
    const std::size_t doubtful = rivals.unseen + strangers;
    if (logged_for_others(death, cgroup, moves) >= moves.count)
        return {Fit::others, {Doubt::logged_for_another}};
    if (rivals.killed_first >= moves.count)
        return {Fit::others, {Doubt::first_took_it, rivals.first}};
    if (rivals.killed + 1 <= moves.count && doubtful == 0)
        return {moves.timed ? Fit::ours : Fit::probably,
                {moves.timed ? Doubt::none : Doubt::untimed}};
    const OomDoubt crowd{Doubt::crowd, nullptr, moves.count, rivals.killed + doubtful + 1};
    if (rivals.killed + 1 + doubtful <= moves.count) return {Fit::probably, crowd};
    if (doubtful == 0) return {Fit::probably, crowd};
    return {large_in_its_limit(death, cgroup, rivals.unseen_held) ? Fit::probably : Fit::unclear,
            crowd};
}

}  // namespace

OomCount oom_count_of(const Death& death) {
    const CgroupEvidence* cgroup = death.cgroup();
    if (cgroup == nullptr || cgroup->levels.empty()) return {.why = {Doubt::cgroup_unknown}};
    const CgroupLevel& own = cgroup->levels.front();
    const bool readable = (own.oom_kill_first && own.oom_kill_last) || !cgroup->kills.empty();
    if (!readable) return {.why = {Doubt::count_unreadable}};
    const Moves moves = moves_around(death, *cgroup);
    if (moves.count == 0) {
        const std::uint64_t still = own.oom_kill_last.value_or(0);
        return {.fit = Fit::unmoved, .from = still, .to = still, .why = {Doubt::unmoved}};
    }
    OomCount count{.from = moves.from, .to = moves.to, .why = {}};
    std::tie(count.fit, count.why) = judge(death, *cgroup, moves);
    return count;
}

}  // namespace holdfast
