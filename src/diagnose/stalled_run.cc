#include "diagnose/stalled_run.h"

#include <csignal>
#include <utility>

#include "base/format.h"
#include "base/python_places.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/moment.h"
#include "diagnose/oom_evidence.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"
#include "diagnose/stall_finding.h"
#include "diagnose/stuck_refusal.h"
#include "diagnose/waits.h"
#include "diagnose/words.h"

namespace holdfast {
namespace {

// A worker that died while its parent waited for what it should deliver: a pool of multiprocessing
// starts another in its place, and the task is lost.
std::optional<Death> lost_worker(const Death& death, const Standstill& stand) {
    if (stand.kind != StandstillKind::lock_deadlock && stand.kind != StandstillKind::loader_stall)
        return std::nullopt;
    const WaitingThread& main = stand.waiting->threads.front();
    if (!runs(main, [](const Frame& f) { return is_delivery_wait(f.file); })) return std::nullopt;
    constexpr Nanos slack{15'000'000'000};
    std::optional<Death> found;
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.parent != stand.waiting->pid || process.role != Role::worker) continue;
        const std::optional<Death> end = death_of(death.all, process);
        if (!end || !end->exit.signal || !end->time) continue;
        const bool before_it = *end->time <= later(stand.stall->since, slack);
        if (before_it && (!found || *end->time > *found->time)) found.emplace(*end);
    }
    return found;
}

Finding about_lost_worker(const Death& worker, const Death& death, const Standstill& stand) {
    Ranked ranked = rank(findings_about(worker));
    Finding finding = std::move(ranked.root);
    const std::string parent = name_of(death, *stand.waiting);
    if (oom_kill_of(worker)) {
        finding.cause = "worker-oom"_cause;
        finding.summary = formatted(
            "The kernel's OOM killer ended the worker {}, and {} still waits for its result.",
            who(worker), parent);
    } else {
        if (finding.summary.ends_with('.')) finding.summary.pop_back();
        finding.summary += formatted(", and {} still waits for its result.", parent);
    }
    finding.pid = worker.pid;
    return finding;
}

// A thread that should have delivered, or let go of a lock, and ended with an exception instead.
std::optional<Finding> dead_thread(const Death& death, const Standstill& stand) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || agent->pid != stand.waiting->pid) return std::nullopt;
    constexpr Nanos slack{2'000'000'000};
    const ExceptionEvidence* last = nullptr;
    for (const ExceptionEvidence& thrown : agent->exceptions)
        if (!thrown.in_main_thread && thrown.time <= later(stand.stall->since, slack))
            last = &thrown;
    if (last == nullptr) return std::nullopt;
    const std::string said = last->message.empty() ? last->type : last->type + ": " + last->message;
    Finding finding = finding_about(
        death, "exception"_cause, Confidence::likely,
        formatted("The thread {} ended with an exception nobody caught: {}; the main thread "
                  "still waits.",
                  last->thread, shortened(said)));
    finding.where = own_place(last->frames);
    finding.evidence = {{"exception in " + last->thread, shortened(said)}};
    finding.fixes.push_back(
        {"Hand the exception on to whoever waits: put it into the queue, or use a future.",
         "concurrent.futures.ThreadPoolExecutor().submit(work).result()"});
    return finding;
}

void name_process(Verdict& verdict, const Death& death, int pid) {
    const ProcessEvidence* process = death.all.process(pid);
    if (process == nullptr || process->role == Role::main || process->role == Role::helper) return;
    verdict.process = {pid, role_name(process), process->command};
}

}  // namespace

void settle_stall(Verdict& verdict, const Death& death) {
    const bool live = verdict.outcome == Outcome::running;
    if (verdict.root.cause == "collective-timeout"_cause && verdict.root.pid)
        name_process(verdict, death, *verdict.root.pid);
    if (!live && !stopped_from_outside(verdict.end)) return;
    const std::optional<Standstill> stand = standstill_of(death);
    std::optional<Finding> stall = stand ? stall_of(death) : std::nullopt;
    if (!stall) return;
    verdict.outcome = Outcome::stuck;
    verdict.python_stack = stall_stacks(death, *stand);
    if (!live)
        verdict.choice = formatted("It was stopped from outside after it had not moved for {}.",
                                   human(stand->lasted));
    if (const std::optional<Death> worker = lost_worker(death, *stand)) {
        Finding lost = about_lost_worker(*worker, death, *stand);
        name_process(verdict, death, worker->pid);
        if (live) verdict.end = *stall;
        if (!live) verdict.contributing.insert(verdict.contributing.begin(), *stall);
        verdict.root = std::move(lost);
        return;
    }
    if (std::optional<Finding> refused = refusal_before(death, *stand)) {
        if (refused->pid) name_process(verdict, death, *refused->pid);
        if (live) verdict.end = *stall;
        if (!live) verdict.contributing.insert(verdict.contributing.begin(), *stall);
        // That is how the guard ends what is stuck because of it.
        if (!live && stand->stall->told && death.by(SIGTERM)) {
            verdict.end = *refused;
            verdict.choice = formatted("It had not moved for {} after the refusal, and was ended.",
                                       human(stand->lasted));
        }
        verdict.root = std::move(*refused);
        return;
    }
    if (std::optional<Finding> thread = dead_thread(death, *stand)) {
        if (live) verdict.end = *stall;
        if (!live) verdict.contributing.insert(verdict.contributing.begin(), *stall);
        verdict.root = std::move(*thread);
        return;
    }
    name_process(verdict, death, stand->culprit->pid);
    if (live) verdict.end = *stall;
    verdict.root = std::move(*stall);
}

}  // namespace holdfast
