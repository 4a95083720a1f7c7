#include "diagnose/stall/stalled_run.h"

#include <csignal>
#include <memory>
#include <utility>

#include "base/time.h"
#include "diagnose/death/place.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/stalls.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"
#include "stall/thresholds.h"
#include "stall/waits.h"

namespace holdfast {
namespace {

using namespace stall_thresholds;
using SharedAutopsy = std::shared_ptr<const Autopsy>;

// A worker died while its parent waited for what it should deliver: multiprocessing's pool starts
// another worker in its place, but the task is lost.
SharedAutopsy lost_worker(const Autopsy& death, const Standstill& stand) {
    if (stand.kind != StandstillKind::lock_deadlock && stand.kind != StandstillKind::loader_stall)
        return nullptr;
    const WaitingThread& main = stand.waiting->threads.front();
    if (!waits_for_delivery(main)) return nullptr;
    std::optional<Death> found;
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.parent != stand.waiting->pid || process.role != Role::worker) continue;
        const std::optional<Death> end = death_of(death.all, process);
        if (!end || !end->exit.signal || !end->time) continue;
        const bool before_it = *end->time <= later(stand.stall->since, lost_worker_noticed);
        if (before_it && (!found || *end->time > *found->time)) found.emplace(*end);
    }
    return found ? autopsy_of(*found) : nullptr;
}

// Workers that are OOM-killed, replaced and killed again: processes come and go, but no work gets
// done.
struct KilledWorkers {
    SharedAutopsy last;
    int count = 0;
};

std::optional<KilledWorkers> workers_killed_one_by_one(const Autopsy& death) {
    const ProcessEvidence* main = death.all.main();
    if (!death.decides || !death.time || main == nullptr) return std::nullopt;
    if (death.agent != nullptr && death.agent->steps.count > 0) return std::nullopt;
    KilledWorkers killed;
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.parent != main->pid || process.role != Role::worker) continue;
        const std::optional<Death> end = death_of(death.all, process);
        if (!end || !end->time || *end->time > *death.time) continue;
        if (end->exit_known() && !end->by(SIGKILL)) continue;
        SharedAutopsy worker = autopsy_of(*end);
        if (!worker->oom_kill) continue;
        ++killed.count;
        if (killed.last == nullptr || *worker->time > *killed.last->time)
            killed.last = std::move(worker);
    }
    if (killed.count < workers_killed_in_a_row ||
        later(*killed.last->time, last_killed_before_the_end) < *death.time)
        return std::nullopt;
    return killed;
}

// Not where the worker was, but the line that asked for what it held.
void name_line_of_memory(Finding& finding, const Death& worker) {
    if (finding.cause != "cgroup-oom"_cause && finding.cause != "host-oom"_cause) return;
    if (const std::optional<Where> most = where_memory_went(worker)) finding.where = most;
}

Finding about_killed_workers(const KilledWorkers& killed, const Autopsy& death) {
    Finding finding = rank(findings_about(*killed.last)).root;
    finding.facts = facts_of(facts::LostWorker{finding, nullptr, true, killed.count});
    finding.death = death.shared_from_this();
    name_line_of_memory(finding, *killed.last);
    finding.cause = "worker-oom"_cause;
    finding.confidence = Confidence::likely;
    finding.pid = killed.last->pid;
    return finding;
}

Finding about_lost_worker(const Autopsy& worker, const Autopsy& death, const Standstill& stand) {
    Ranked ranked = rank(findings_about(worker));
    Finding finding = std::move(ranked.root);
    const bool oom_killed = worker.oom_kill.has_value();
    finding.facts = facts_of(facts::LostWorker{finding, stand.waiting, oom_killed});
    finding.death = death.shared_from_this();
    if (oom_killed) name_line_of_memory(finding, worker);
    if (oom_killed) finding.cause = "worker-oom"_cause;
    finding.pid = worker.pid;
    return finding;
}

// A thread that should have delivered data or released a lock, but ended with an exception.
std::optional<Finding> dead_thread(const Autopsy& death, const Standstill& stand) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || agent->pid != stand.waiting->pid) return std::nullopt;
    // If a program sleeps between short steps, the stall may seem to begin before the exception. So
    // it also counts if nothing moved for a while after the exception.
    const ExceptionEvidence* last = nullptr;
    for (const ExceptionEvidence& thrown : agent->exceptions) {
        const bool before_it = thrown.time <= later(stand.stall->since, lost_thread_noticed) ||
                               between(thrown.time, stand.stall->seen) >= nothing_after_lost_thread;
        if (!thrown.in_main_thread && before_it) last = &thrown;
    }
    if (last == nullptr) return std::nullopt;
    Finding finding =
        finding_about(death, "exception"_cause, Confidence::likely, facts::DeadThread{last});
    finding.where = own_place(last->frames);
    return finding;
}

void name_process(Judgement& judgement, const Autopsy& death, int pid) {
    const ProcessEvidence* process = death.all.process(pid);
    if (process == nullptr || process->role == Role::main || process->role == Role::helper) return;
    judgement.process = {pid, role_name(process), process->command};
}

}  // namespace

void settle_stall(Judgement& judgement, const Autopsy& death) {
    const bool live = judgement.outcome == Outcome::running;
    if (judgement.root.cause == "collective-timeout"_cause && judgement.root.pid)
        name_process(judgement, death, *judgement.root.pid);
    if (!live && !stopped_from_outside(judgement.end)) return;
    const std::optional<Standstill>& stand = death.stand;
    std::optional<Finding> stall = stand ? stall_of(death) : std::nullopt;
    if (!stall) {
        const auto killed = live ? std::nullopt : workers_killed_one_by_one(death);
        if (!killed) return;
        judgement.root = about_killed_workers(*killed, death);
        name_process(judgement, death, killed->last->pid);
        return;
    }
    judgement.outcome = Outcome::stuck;
    judgement.stand = stand;
    if (!live)
        judgement.choice = {
            .kind = Choice::Kind::stood_still, .lasted = stand->lasted, .child = {}};
    if (const SharedAutopsy worker = lost_worker(death, *stand)) {
        Finding lost = about_lost_worker(*worker, death, *stand);
        name_process(judgement, death, worker->pid);
        if (live) judgement.end = *stall;
        if (!live) judgement.contributing.insert(judgement.contributing.begin(), *stall);
        judgement.root = std::move(lost);
        return;
    }
    if (std::optional<Finding> refused = refusal_before(death, *stand)) {
        if (refused->pid) name_process(judgement, death, *refused->pid);
        if (live) judgement.end = *stall;
        if (!live) judgement.contributing.insert(judgement.contributing.begin(), *stall);
        // The guard ends a program like this if it is stuck after a refusal.
        if (!live && stand->stall->told && death.by(SIGTERM)) {
            judgement.end = *refused;
            judgement.choice = {
                .kind = Choice::Kind::after_refusal, .lasted = stand->lasted, .child = {}};
        }
        judgement.root = std::move(*refused);
        return;
    }
    if (std::optional<Finding> thread = dead_thread(death, *stand)) {
        if (live) judgement.end = *stall;
        if (!live) judgement.contributing.insert(judgement.contributing.begin(), *stall);
        judgement.root = std::move(*thread);
        return;
    }
    name_process(judgement, death, stand->culprit->pid);
    if (live) judgement.end = *stall;
    judgement.root = std::move(*stall);
}

}  // namespace holdfast
