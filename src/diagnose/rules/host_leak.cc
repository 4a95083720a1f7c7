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

// Without the pages of libraries, which are the larger part of a small program with torch.
std::optional<Bytes> held_by_leaker(const Evidence& all, const AgentEvidence& agent) {
    const ProcessEvidence* process = all.process(agent.pid);
    if (process == nullptr) return std::nullopt;
    return process->anon
               ? process->anon
               : std::max(held_by(*process), process->rss_peak);  // absent is less than all
}

// A leak that is little of what the process held explains nothing. With steps it is known that
// nothing else grew; over time alone much may have come before.
bool is_much(const Evidence& all, const AgentEvidence& agent) {
    const std::optional<Bytes> held = held_by_leaker(all, agent);
    const GrowthSeen& growth = agent.leak->growth;
    return !held || growth.in_all.share_of(*held) >= (growth.per_step ? 0.15 : 0.25);
}

// A block that is replaced by a larger one is there twice for a moment, and that ends it.
bool was_replaced_by_larger(const Evidence& all, const AgentEvidence& agent) {
    const std::optional<Bytes> held = held_by_leaker(all, agent);
    const LeakEvidence& leak = *agent.leak;
    return held && leak.growth.per_step && leak.growth.in_all.share_of(*held) >= 0.1 &&
           leak.live.share_of(*held) >= 0.3;
}

// A run that finished had enough memory. A leak is reported only if it would not fit into a run a
// few times as long; and without steps it is not known whether a longer run would have kept more.
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

// A limit is shared by the tree, so the one that leaks need not be the one that was killed.
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

}  // namespace

std::optional<Finding> host_leak(const Autopsy& death) {
    const AgentEvidence* agent = largest_leak(death);
    if (agent == nullptr) return std::nullopt;
    const LeakEvidence& leak = *agent->leak;
    if (too_large_without(death, leak.live)) return std::nullopt;
    const std::optional<Where> where = own_place(leak.frames);
    if (!where) return std::nullopt;
    const bool sure = surely_leaks(leak) && is_much(death.all, *agent);
    Finding finding =
        finding_about(death, "host-leak"_cause, sure ? Confidence::certain : Confidence::likely,
                      facts::HostLeak{agent, *where});
    finding.where = where;
    finding.pid = agent->pid;
    finding.keeper = keeper_of(*agent, leak.growth.in_all);
    // Of several lines that ask, none is to blame: the line that keeps the memory is.
    const bool known = finding.keeper && finding.keeper->where;
    if (known && leak.several_lines) finding.where = finding.keeper->where;
    // Some of what a step makes stays, too, but most was requested where the container is filled.
    if (known && held_at(*agent, *finding.keeper->where) > leak.live) {
        finding.where = finding.keeper->where;
        finding.confidence = Confidence::likely;
    }
    return finding;
}

}  // namespace holdfast::rules
