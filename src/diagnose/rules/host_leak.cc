// HF110: memory that one line keeps more and more of.
#include <algorithm>

#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/held_memory.h"
#include "diagnose/oom/keeper.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/rules/rules.h"
#include "model/own_code.h"

namespace holdfast::rules {
namespace {

bool alive_at(const Evidence& all, const AgentEvidence& agent, const Autopsy& death) {
    if (agent.pid == death.pid) return true;
    const ProcessEvidence* process = all.process(agent.pid);
    constexpr Nanos moment{1'000'000'000};
    if (agent.ended || process == nullptr) return false;
    return !process->ended || !death.time || *process->ended >= earlier(*death.time, moment);
}

// Prefers anonymous memory: in a small program with torch, the pages of libraries are the larger
// part.
std::optional<Bytes> held_by_leaker(const Evidence& all, const AgentEvidence& agent) {
    const ProcessEvidence* process = all.process(agent.pid);
    if (process == nullptr) return std::nullopt;
    return process->anon
               ? process->anon
               : std::max(held_by(*process), process->rss_peak);  // an absent figure is the least
}

// One container holds most of the memory and grew at the last look: the lines that fill it each
// have a part only.
bool one_container_has_most(const AgentEvidence& agent, Bytes held) {
    constexpr std::uint64_t many = 16;
    if (agent.keepers.empty()) return false;
    const KeeperEvidence& keeper = agent.keepers.front();
    return keeper.items >= many && keeper.grown.count > 0 && keeper.live.share_of(held) >= 0.5;
}

// A leak that is a small part of what the process held explains nothing. With steps it is known
// that nothing else grew; over time alone much may have come before, so the part must be larger.
bool is_much(const Evidence& all, const AgentEvidence& agent) {
    const std::optional<Bytes> held = held_by_leaker(all, agent);
    const GrowthSeen& growth = agent.leak->growth;
    return !held || growth.in_all.share_of(*held) >= (growth.per_step ? 0.15 : 0.25) ||
           one_container_has_most(agent, *held);
}

// While a block is replaced by a larger one, both exist for a moment, and that moment ends the
// program.
bool was_replaced_by_larger(const Evidence& all, const AgentEvidence& agent) {
    const std::optional<Bytes> held = held_by_leaker(all, agent);
    const LeakEvidence& leak = *agent.leak;
    return held && leak.growth.per_step && leak.growth.in_all.share_of(*held) >= 0.1 &&
           leak.live.share_of(*held) >= 0.3;
}

// A run that finished had enough memory. Report a leak only if a run a few times as long would not
// have fitted; without steps nobody knows what a longer run would have kept.
bool would_have_mattered(const Autopsy& death, const GrowthSeen& growth) {
    if (death.exit.code != 0) return true;
    const std::optional<Bytes> room = death.all.memory.limit;
    return growth.per_step &&
           (room ? growth.in_all.share_of(*room) >= 0.25 : growth.in_all >= Bytes::gib(1));
}

Bytes held_at(const AgentEvidence& agent, const Where& where) {
    Bytes held;
    for (const SiteEvidence& site : agent.sites) {
        const Frame* own = innermost_own_frame(site.frames);
        if (own != nullptr && own->file == where.file && own->line == where.line) held += site.live;
    }
    return held;
}

// The tree shares the limit, so the process that leaks need not be the one that was killed.
const AgentEvidence* largest_leak(const Autopsy& death) {
    const AgentEvidence* largest = nullptr;
    for (const AgentEvidence& agent : death.all.agents) {
        if (!agent.leak || !alive_at(death.all, agent, death)) continue;
        if (!is_much(death.all, agent) && !was_replaced_by_larger(death.all, agent)) continue;
        if (!would_have_mattered(death, agent.leak->growth)) continue;
        if (!death.decides && agent.pid != death.pid) continue;
        if (largest == nullptr || agent.leak->growth.in_all > largest->leak->growth.in_all)
            largest = &agent;
    }
    return largest;
}

bool is_of_manager(const Frame& frame) {
    return frame.file.ends_with("/multiprocessing/managers.py");
}

// The line of the parent that was speaking to its helper when that ended, or a moment before.
std::optional<Where> where_it_was_called(const Autopsy& death, const AgentEvidence& helper) {
    if (death.fatal_child && death.fatal_child->death->pid == helper.pid && death.died_at)
        return death.died_at;
    const ProcessEvidence* process = death.all.process(helper.pid);
    if (process == nullptr) return std::nullopt;
    std::optional<Where> where;
    for (const StacksEvidence& look : death.all.stacks) {
        if (look.pid != process->parent || look.threads.empty()) continue;
        const std::vector<Frame>& frames = look.threads.front().frames;
        if (std::any_of(frames.begin(), frames.end(), is_of_manager)) where = own_place(frames);
    }
    return where;
}

// The objects of a multiprocessing.Manager live in its server: what others put into them stays
// there, at the lines of the library.
std::optional<Finding> leak_of_helper(const Autopsy& death, const AgentEvidence& agent) {
    const std::vector<Frame>& frames = agent.leak->frames;
    const ProcessEvidence* process = death.all.process(agent.pid);
    if (frames.empty() || process == nullptr || process->role != Role::worker) return std::nullopt;
    const bool manager = std::any_of(frames.begin(), frames.end(), is_of_manager);
    Finding finding = finding_about(death, "host-leak"_cause, Confidence::likely,
                                    facts::HelperLeak{&agent, frames.back(), manager});
    finding.where = where_it_was_called(death, agent);
    finding.pid = agent.pid;
    return finding;
}

}  // namespace

std::optional<Finding> host_leak(const Autopsy& death) {
    const AgentEvidence* agent = largest_leak(death);
    if (agent == nullptr) return std::nullopt;
    const LeakEvidence& leak = *agent->leak;
    if (too_large_without(death, leak.live)) return std::nullopt;
    const std::optional<Where> where = own_place(leak.frames);
    if (!where) return leak_of_helper(death, *agent);
    const bool sure = surely_leaks(leak) && is_much(death.all, *agent);
    Finding finding =
        finding_about(death, "host-leak"_cause, sure ? Confidence::certain : Confidence::likely,
                      facts::HostLeak{agent, *where});
    finding.where = where;
    finding.pid = agent->pid;
    finding.keeper = keeper_of(*agent, leak.growth.in_all);
    // If several lines ask for the memory, blame none of them but the line that keeps it.
    const bool known = finding.keeper && finding.keeper->where;
    const bool views = known && keeper_seen(*agent, leak.growth.in_all)->views;
    // This line fills less than half of it.
    const bool shared = known && !views &&
                        keeper_seen(*agent, leak.growth.in_all)->live.count / 2 > leak.live.count;
    if (known && (leak.several_lines || views || shared)) finding.where = finding.keeper->where;
    // Some of what a step makes stays, too, but most was requested where the container is filled.
    if (known && held_at(*agent, *finding.keeper->where) > leak.live) {
        finding.where = finding.keeper->where;
        finding.confidence = Confidence::likely;
    }
    return finding;
}

}  // namespace holdfast::rules
