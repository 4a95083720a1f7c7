// HF114: the guard refused an allocation, and the resulting error ended the program.
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/memory.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/stalled_run.h"

namespace holdfast::rules {
namespace {

// An error may wander through a queue, handlers and a traceback before it ends the program.
constexpr Nanos long_way{30'000'000'000};

}  // namespace

std::optional<Finding> guard_refused(const Autopsy& death) {
    const std::optional<Refusal> error = death.refusal;
    const AgentEvidence* agent = error ? refused_by_guard(death) : nullptr;
    if (agent == nullptr) return std::nullopt;
    const RefusalEvidence& last = agent->guard->last;
    // The refusal is certain. Whether this very error ended the program is the question.
    const bool at_the_end =
        !death.time || (last.time <= *death.time && later(last.time, long_way) >= *death.time);
    const bool fits = error->said.final && (death.exit.signal || death.exit.code == 1);
    Finding finding = finding_about(
        death, "guard-refused"_cause,
        at_the_end && fits && agent->pid == death.pid ? Confidence::certain : Confidence::likely,
        facts::GuardRefused{agent, *error});
    if (const std::optional<Where> where = own_place(last.frames)) finding.where = where;
    finding.pid = agent->pid;
    return finding;
}

}  // namespace holdfast::rules

namespace holdfast {

std::optional<Finding> refusal_before(const Autopsy& death, const Standstill& stand) {
    constexpr Nanos before{15'000'000'000};
    constexpr Nanos unmeasured{2'000'000'000};
    const AgentEvidence* found = nullptr;
    for (const AgentEvidence& agent : death.all.agents) {
        if (!agent.guard || agent.guard->refused == 0) continue;
        const RunTime time = agent.guard->last.time;
        if (time > later(stand.stall->since, unmeasured) ||
            later(time, before) < stand.stall->since)
            continue;
        if (found == nullptr || time > found->guard->last.time) found = &agent;
    }
    if (found == nullptr) return std::nullopt;
    // Only the order of the two says that the refusal is why it stands still.
    Finding finding = finding_about(death, "guard-refused"_cause, Confidence::likely,
                                    facts::GuardRefused{found, std::nullopt});
    if (const std::optional<Where> where = own_place(found->guard->last.frames))
        finding.where = where;
    finding.pid = found->pid;
    return finding;
}

}  // namespace holdfast
