// HF104: a worker was OOM-killed, and its parent failed because of that.
#include "diagnose/death/place.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/facts/memory.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {

std::optional<Finding> worker_oom(const Autopsy& death) {
    const std::optional<FatalChild>& child = death.fatal_child;
    if (!child) return std::nullopt;
    const Autopsy& worker = *child->death;
    // A rank is not its launcher's helper: its own end is the cause.
    if (worker.process != nullptr && worker.process->role == Role::rank) return std::nullopt;
    const std::optional<OomKill>& kill = worker.oom_kill;
    if (!kill) return std::nullopt;
    Finding finding = finding_about(
        death, "worker-oom"_cause,
        child->named ? kill->confidence : at_most(kill->confidence, Confidence::likely),
        facts::WorkerOom{*child, *kill});
    if (std::optional<Where> most = where_memory_went(worker))
        finding.where = most;
    else if (worker.was_at)
        finding.where = worker.was_at;
    else if (worker.agent != nullptr && where_it_holds_most(*worker.agent))
        finding.where = where_it_holds_most(*worker.agent);
    if (worker.pid > 0) finding.pid = worker.pid;
    return finding;
}

}  // namespace holdfast::rules
