// HF104: a worker was OOM-killed, and its parent failed because of that.
#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/memory_fixes.h"
#include "diagnose/memory_held.h"
#include "diagnose/oom_evidence.h"
#include "diagnose/place.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"
#include "diagnose/worker_end.h"

namespace holdfast::rules {

std::optional<Finding> worker_oom(const Death& death) {
    const std::optional<FatalChild> child = child_that_felled(death);
    if (!child) return std::nullopt;
    // A rank is no helper of its launcher: its own end is the cause.
    if (child->death.process != nullptr && child->death.process->role == Role::rank)
        return std::nullopt;
    const std::optional<OomKill> kill = oom_kill_of(child->death);
    if (!kill) return std::nullopt;

    const bool in_cgroup = kill->scope == OomKill::Scope::cgroup;
    std::string limit = " as the machine was out of memory";
    if (in_cgroup)
        limit = kill->level != nullptr && kill->level->limit
                    ? formatted(" at {}, {}", limit_name(*kill->level), human(*kill->level->limit))
                    : " at a memory limit that cannot be seen from here";
    const std::optional<Bytes> held = held_at_end(child->death);
    Finding finding = finding_about(
        death, "worker-oom"_cause,
        child->named ? kill->confidence : at_most(kill->confidence, Confidence::likely),
        formatted("The kernel's OOM killer ended the worker {}{}{}, and {} failed because of it.",
                  who(child->death), limit, held ? formatted(" (it held {})", human(*held)) : "",
                  who(death)));
    const AgentEvidence* agent = agent_of(child->death);
    if (std::optional<Where> worker = where_it_was(child->death))
        finding.where = worker;
    else if (agent != nullptr && where_it_holds_most(*agent))
        finding.where = where_it_holds_most(*agent);
    finding.evidence.insert(finding.evidence.end(), kill->evidence.begin(), kill->evidence.end());
    if (child->death.pid > 0) finding.pid = child->death.pid;
    if (!child->line.empty()) finding.evidence.push_back({"stderr", shortened(child->line)});
    if (kill->confidence != Confidence::certain && !kill->doubt.empty())
        finding.evidence.push_back({"doubt", kill->doubt});
    finding.fixes = need_less(child->death);
    if (death.python())
        finding.fixes.push_back(load_within(death, "holdfast.Loader.like(dataloader"));
    if (in_cgroup && kill->level != nullptr)
        finding.fixes.push_back(raise_limit(child->death, *kill->level));
    return finding;
}

}  // namespace holdfast::rules
