// HF103: the OOM killer killed this process, but another one had taken the memory.
#include <algorithm>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/memory.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

// A process with less than this share of the memory did not fill it.
constexpr double small_share = 0.3;
// Next to an idle kernel, which may be the largest process of all, this share is enough.
constexpr double idle_share = 0.1;

using facts::Eater;

const Neighbour* largest_neighbour(const Autopsy& death, bool in_cgroup) {
    const Neighbour* largest = nullptr;
    for (const Neighbour& neighbour : death.all.neighbours) {
        if (in_cgroup && !neighbour.same_cgroup) continue;
        if (death.all.process(neighbour.pid) != nullptr) continue;  // one of ours
        if (largest == nullptr || neighbour.rss > largest->rss) largest = &neighbour;
    }
    return largest;
}

std::optional<Eater> neighbour_that_ate(const Autopsy& death, bool in_cgroup, Bytes own,
                                        Bytes whole) {
    const Neighbour* largest = largest_neighbour(death, in_cgroup);
    if (largest == nullptr || largest->rss <= own || largest->rss.share_of(whole) < small_share)
        return std::nullopt;
    return Eater{.held = largest->rss, .neighbour = largest};
}

// An idle kernel that did not grow asked for nothing, so its neighbours did.
std::optional<Eater> neighbour_of_idle(const Autopsy& death, bool in_cgroup, Bytes whole) {
    if (!was_idle_kernel(death)) return std::nullopt;
    const Neighbour* largest = largest_neighbour(death, in_cgroup);
    if (largest == nullptr || largest->rss.share_of(whole) < idle_share) return std::nullopt;
    return Eater{.held = largest->rss, .neighbour = largest};
}

// The kernel's own list, made at the moment of the kill.
std::optional<Eater> holder_that_ate(const Autopsy& death, Bytes own, Bytes whole) {
    const KernelLogEntry* logged = logged_oom_kill(death);
    if (logged == nullptr) return std::nullopt;
    for (const MemoryHolder& holder : logged->holders) {
        if (holder.pid == death.pid || death.all.process(holder.pid) != nullptr) continue;
        if (holder.held <= own || holder.held.share_of(whole) < small_share) return std::nullopt;
        return Eater{.held = holder.held, .holder = &holder};
    }
    return std::nullopt;
}

// Many neighbours can fill a limit together, even if none is larger than this process.
std::optional<Eater> crowd_that_ate(const Autopsy& death, bool in_cgroup, Bytes own, Bytes whole) {
    Bytes sum;
    int count = 0;
    const Neighbour* first = nullptr;
    for (const Neighbour& neighbour : death.all.neighbours) {
        if (in_cgroup && !neighbour.same_cgroup) continue;
        if (death.all.process(neighbour.pid) != nullptr) continue;
        if (count == 0) first = &neighbour;
        sum += neighbour.rss;
        ++count;
    }
    if (count < 2 || sum.share_of(whole) < 0.5 || sum.share_of(own) < 2) return std::nullopt;
    return Eater{.held = sum, .neighbour = first, .crowd = count};
}

std::optional<Eater> files_that_ate(const Autopsy& death, Bytes whole) {
    const CgroupEvidence* cgroup = death.cgroup();
    if (cgroup == nullptr || !cgroup->shmem) return std::nullopt;
    Bytes mapped;
    for (const ProcessEvidence& process : death.all.processes)
        if (!process.exit) mapped += process.shmem.value_or(Bytes{});
    if (death.process != nullptr) mapped += death.process->shmem.value_or(Bytes{});
    const Bytes unmapped = *cgroup->shmem - mapped;
    if (unmapped.share_of(whole) < 0.5) return std::nullopt;
    // The files appeared during the run while the program was alone in the container: it wrote them
    // itself.
    const bool alone = std::none_of(death.all.neighbours.begin(), death.all.neighbours.end(),
                                    [](const Neighbour& other) { return other.same_cgroup; });
    const CgroupLevel* own = cgroup->levels.empty() ? nullptr : &cgroup->levels.front();
    if (alone && own != nullptr && own->usage_first && own->usage_first->share_of(unmapped) < 0.2)
        return std::nullopt;
    return Eater{.held = unmapped, .files = true};
}

// The limit of a control group at which the guard refused memory, so that nobody was killed.
std::optional<Bytes> limit_of_refusal(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (!death.refusal || agent == nullptr || !agent->guard || agent->guard->refused == 0)
        return std::nullopt;
    const CgroupEvidence* cgroup = death.cgroup();
    const Bytes limit = agent->guard->last.limit;
    if (cgroup == nullptr) return std::nullopt;
    const bool known = std::any_of(cgroup->levels.begin(), cgroup->levels.end(),
                                   [&](const CgroupLevel& level) { return level.limit == limit; });
    return known ? std::optional(limit) : std::nullopt;
}

}  // namespace

std::optional<Finding> oom_victim(const Autopsy& death) {
    const std::optional<OomKill> kill = death.oom_kill;
    const std::optional<Bytes> refused = kill ? std::nullopt : limit_of_refusal(death);
    if (!kill && !refused) return std::nullopt;
    const bool in_cgroup = refused || kill->scope == OomKill::Scope::cgroup;
    std::optional<Bytes> whole = refused ? refused : death.all.host.total;
    if (in_cgroup && !refused) {
        whole.reset();
        if (kill->level != nullptr) whole = kill->level->limit;
    }
    // Compare the whole tree: a worker whose parent filled the limit is not a stranger's victim.
    const std::optional<Bytes> own = death.held_by_tree;
    if (!whole || !own) return std::nullopt;
    std::optional<Eater> eater;
    if (own->share_of(*whole) < small_share) {
        eater = holder_that_ate(death, *own, *whole);
        if (!eater) eater = neighbour_that_ate(death, in_cgroup, *own, *whole);
        if (!eater && in_cgroup) eater = crowd_that_ate(death, in_cgroup, *own, *whole);
        if (!eater && in_cgroup) eater = files_that_ate(death, *whole);
    }
    const bool idle = !eater;
    if (!eater) eater = neighbour_of_idle(death, in_cgroup, *whole);
    if (!eater) return std::nullopt;

    // Processes grow between two looks; only if the eater holds more than half is there no room for
    // that. And nobody knows who wrote files in shared memory: it may have been this program.
    const bool settled = eater->held.share_of(*whole) >= 0.5 && !eater->files;
    const Confidence most = kill ? kill->confidence : Confidence::likely;
    Finding finding =
        finding_about(death, "oom-victim"_cause, settled ? most : at_most(most, Confidence::likely),
                      facts::OomVictim{kill, *own, *whole, *eater, idle});
    if (!kill) finding.topic = Topic::others_memory;
    return finding;
}

}  // namespace holdfast::rules
