// HF701 and HF706: a lock that nobody will release.
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/stalls.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/standstill.h"
#include "stall/thresholds.h"
#include "stall/waits.h"

namespace holdfast::rules {
std::optional<Finding> fork_deadlock(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand || stand->kind != StandstillKind::fork_deadlock) return std::nullopt;
    const ProcessEvidence* child = death.all.process(stand->culprit->pid);
    const ProcessEvidence* parent = child != nullptr ? death.all.process(child->parent) : nullptr;
    const bool idle = child != nullptr && child->cpu_time &&
                      *child->cpu_time <= stall_thresholds::idle_since_fork;
    const bool had_threads = parent != nullptr && parent->threads_peak.value_or(0) > 1;
    const bool owner_elsewhere = stand->thread->owner.has_value();
    const bool certain = owner_elsewhere || (idle && had_threads);
    return stall_finding(death, *stand, "fork-deadlock"_cause,
                         certain ? Confidence::certain : Confidence::likely,
                         facts::ForkDeadlock{*stand});
}

std::optional<Finding> lock_deadlock(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand) return std::nullopt;
    if (stand->kind == StandstillKind::held_interpreter)
        return stall_finding(death, *stand, "lock-deadlock"_cause,
                             stand->thread->timed ? Confidence::likely : Confidence::certain,
                             facts::HeldInterpreter{*stand});
    if (stand->kind != StandstillKind::lock_deadlock) return std::nullopt;
    // A thread that waits for a queue or a pool may wait for work that nobody ever began.
    const bool certain = stand->stall->inside_only && !waits_for_delivery(*stand->thread);
    Finding finding = stall_finding(death, *stand, "lock-deadlock"_cause,
                                    certain ? Confidence::certain : Confidence::likely,
                                    facts::LockDeadlock{*stand});
    // The main thread may only wait for the threads that block each other.
    const std::vector<const WaitingThread*> locked = threads_in_locks(*stand->culprit);
    if (locked.size() >= 2 && !waits_for_a_lock(*stand->thread))
        if (const std::optional<Where> where = own_place(locked[0]->frames)) finding.where = where;
    return finding;
}

}  // namespace holdfast::rules
