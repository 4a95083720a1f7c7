// HF104: a worker was OOM-killed, and its parent failed because of that.
#include "diagnose/death/place.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/facts/memory.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {

std::optional<Finding> worker_oom(const Autopsy& death) {
    const std::optional<FatalChild> child = death.fatal_child;
    if (!child) return std::nullopt;
    // A rank is not its launcher's helper: its own end is the cause.
    if (child->death.process != nullptr && child->death.process->role == Role::rank)
        return std::nullopt;
    const std::optional<OomKill> kill = oom_kill_of(child->death);
    if (!kill) return std::nullopt;
    Finding finding = finding_about(
        death, "worker-oom"_cause,
        child->named ? kill->confidence : at_most(kill->confidence, Confidence::likely),
        facts::WorkerOom{*child, *kill});
    const AgentEvidence* agent = agent_of(child->death);
    if (std::optional<Where> most = where_memory_went(child->death))
        finding.where = most;
    else if (std::optional<Where> worker = where_it_was(child->death))
        finding.where = worker;
    else if (agent != nullptr && where_it_holds_most(*agent))
        finding.where = where_it_holds_most(*agent);
    if (child->death.pid > 0) finding.pid = child->death.pid;
    return finding;
}

}  // namespace holdfast::rules
