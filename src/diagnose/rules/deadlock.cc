// HF701 and HF706: a lock that nobody will release.
#include <algorithm>

#include "base/format.h"
#include "base/python_places.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall_finding.h"
#include "diagnose/waits.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

std::string at(const WaitingThread& thread) {
    const std::optional<Where> where = own_place(thread.frames);
    return where ? " at " + file_and_line(*where) : std::string();
}

// A child whose pipe is full, while its parent waits for its end.
const WaitingThread* writes_to_nobody(const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes)
        for (const WaitingThread& thread : process.threads)
            if (thread.wait == WaitKind::write && thread.inside) return &thread;
    return nullptr;
}

std::vector<const WaitingThread*> locked_threads(const StalledProcess& process) {
    std::vector<const WaitingThread*> locked;
    for (const WaitingThread& thread : process.threads)
        if (waits_for_a_lock(thread)) locked.push_back(&thread);
    return locked;
}

std::string story(const Death& death, const Standstill& stand) {
    const StalledProcess& process = *stand.culprit;
    const WaitingThread& main = *stand.thread;
    const std::string who = name_of(death, process);
    const std::vector<const WaitingThread*> locked = locked_threads(process);
    if (locked.size() >= 2)
        return formatted(
            "{} threads of {} wait for locks that none of them will release: {}{} and {}{}.",
            locked.size(), who, thread_label(*locked[0], process), at(*locked[0]),
            thread_label(*locked[1], process), at(*locked[1]));
    if (process.threads.size() == 1 && waits_for_a_lock(main))
        return formatted(
            "{} waits{} for a lock, and it has no other thread that could release it: it holds "
            "the lock itself, or somebody who is gone did.",
            who, at(main));
    const WaitingThread* writer = writes_to_nobody(*stand.stall);
    if (writer != nullptr && main.wait == WaitKind::child)
        return formatted(
            "{} waits{} for a child to end, and the child waits for somebody to read its output: "
            "the pipe between them is full.",
            who, at(main));
    return formatted(
        "{} waits{}, and every other thread and process of it waits as well; nobody outside can "
        "wake them.",
        who, at(main));
}

// A thread that was to release the lock or to fill the queue may have died before.
void add_dead_threads(const Death& death, const Standstill& stand, Finding& finding) {
    for (const AgentEvidence& agent : death.all.agents) {
        if (agent.pid != stand.culprit->pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions) {
            if (thrown.in_main_thread) continue;
            const std::optional<Where> where = own_place(thrown.frames);
            const std::string place = where ? " at " + file_and_line(*where) : std::string();
            finding.evidence.push_back({thrown.thread + " ended before",
                                        shortened(thrown.type + ": " + thrown.message) + place});
            if (finding.summary.ends_with('.')) finding.summary.pop_back();
            finding.summary +=
                formatted("; its thread {} had died of {}{}.", thrown.thread, thrown.type, place);
            return;
        }
    }
}

void add_lock_fixes(const Standstill& stand, Finding& finding) {
    if (stand.kind == StandstillKind::held_interpreter) {
        finding.fixes.push_back(
            {"Let the extension release the interpreter's lock around calls that wait.",
             "Py_BEGIN_ALLOW_THREADS ... Py_END_ALLOW_THREADS   # or ctypes.CDLL, not PyDLL"});
        return;
    }
    if (writes_to_nobody(*stand.stall) != nullptr) {
        finding.fixes.push_back({"Read the child's output while it runs, instead of waiting first.",
                                 "out, err = process.communicate()"});
        return;
    }
    const WaitingThread& main = *stand.thread;
    if (runs(main, [](const Frame& f) { return is_delivery_wait(f.file); })) {
        finding.fixes.push_back(
            {"Use a pool that notices a lost worker: it raises BrokenProcessPool instead of "
             "waiting for ever.",
             "concurrent.futures.ProcessPoolExecutor(max_workers=4)"});
        finding.fixes.push_back({"Or give the wait a time limit.", "result.get(timeout=600)"});
        return;
    }
    if (stand.culprit->threads.size() == 1) {
        finding.fixes.push_back(
            {"If one function takes the lock and calls another that takes it "
             "too, use one that its holder may take again.",
             "lock = threading.RLock()"});
        return;
    }
    finding.fixes.push_back(
        {"Take the locks in the same order everywhere, or hold only one at a time.", ""});
    finding.fixes.push_back({"Or give up after a while, so that it shows.",
                             "if not lock.acquire(timeout=60): raise RuntimeError(\"lock\")"});
}

}  // namespace

std::optional<Finding> fork_deadlock(const Death& death) {
    const std::optional<Standstill> stand = standstill_of(death);
    if (!stand || stand->kind != StandstillKind::fork_deadlock) return std::nullopt;
    const ProcessEvidence* child = death.all.process(stand->culprit->pid);
    const ProcessEvidence* parent = child != nullptr ? death.all.process(child->parent) : nullptr;
    constexpr Nanos next_to_nothing{1'000'000'000};
    const bool idle_since_fork =
        child != nullptr && child->cpu_time && *child->cpu_time <= next_to_nothing;
    const bool had_threads = parent != nullptr && parent->threads_peak.value_or(0) > 1;
    const bool owner_elsewhere = stand->thread->owner.has_value();
    const bool certain = owner_elsewhere || (idle_since_fork && had_threads);
    Finding finding = stall_finding(
        death, *stand, "fork-deadlock"_cause, certain ? Confidence::certain : Confidence::likely,
        formatted("{} was forked while a lock was held, and waits{} for it {}: the thread that "
                  "would release it was not copied.",
                  name_of(death, *stand->culprit), at(*stand->thread), for_how_long(*stand)));
    if (child != nullptr && child->cpu_time)
        finding.evidence.push_back({"CPU time since the fork", human(*child->cpu_time)});
    if (parent != nullptr && parent->threads_peak)
        finding.evidence.push_back(
            {"threads of its parent", formatted("{} at most", *parent->threads_peak)});
    const bool loader = runs(*stand->thread, [](const Frame& f) {
        return is_data_loading(f.file, f.function) ||
               f.file.find("/torch/utils/data/") != std::string::npos;
    });
    finding.fixes.push_back(
        {"Start workers afresh instead of forking them.",
         loader ? "DataLoader(..., multiprocessing_context=\"spawn\", persistent_workers=True)"
                : "multiprocessing.set_start_method(\"spawn\")"});
    finding.fixes.push_back(
        {"Or create the workers before anything that starts threads or takes the lock.", ""});
    return finding;
}

std::optional<Finding> lock_deadlock(const Death& death) {
    const std::optional<Standstill> stand = standstill_of(death);
    if (!stand) return std::nullopt;
    if (stand->kind == StandstillKind::held_interpreter) {
        Finding finding = stall_finding(
            death, *stand, "lock-deadlock"_cause,
            stand->thread->timed ? Confidence::likely : Confidence::certain,
            formatted("{} of {} {} in native code and keeps the interpreter's lock (GIL): no "
                      "other Python thread of it can run.",
                      thread_label(*stand->thread, *stand->culprit),
                      name_of(death, *stand->culprit), what_it_does(*stand->thread)));
        add_lock_fixes(*stand, finding);
        return finding;
    }
    if (stand->kind != StandstillKind::lock_deadlock) return std::nullopt;
    Finding finding = stall_finding(
        death, *stand, "lock-deadlock"_cause,
        stand->stall->inside_only ? Confidence::certain : Confidence::likely, story(death, *stand));
    // The main thread may only wait for those that hold each other up.
    const std::vector<const WaitingThread*> locked = locked_threads(*stand->culprit);
    if (locked.size() >= 2 && !waits_for_a_lock(*stand->thread))
        if (const std::optional<Where> where = own_place(locked[0]->frames)) finding.where = where;
    add_dead_threads(death, *stand, finding);
    add_lock_fixes(*stand, finding);
    return finding;
}

}  // namespace holdfast::rules
