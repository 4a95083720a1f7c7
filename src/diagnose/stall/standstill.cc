#include "diagnose/stall/standstill.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "base/format.h"
#include "base/text.h"
#include "base/time.h"
#include "diagnose/autopsy.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/oom/own_pressure.h"
#include "knowledge/places.h"
#include "model/own_code.h"
#include "stall/judge.h"
#include "stall/thresholds.h"
#include "stall/waits.h"

namespace holdfast {
namespace {

bool stopped_from_outside(const Death& death) {
    if (oom_kill_of(death)) return false;
    for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM})
        if (death.by(signal)) return true;
    return death.failed() && asked_to_stop(death) != nullptr;
}

// When somebody asked it to stop, or killed it.
std::optional<RunTime> stopped_at(const Death& death) {
    if (!death.time || !stopped_from_outside(death)) return std::nullopt;
    const SignalSeen* asked = asked_to_stop(death);
    return asked != nullptr && asked->time < *death.time ? asked->time : *death.time;
}

bool is_live(const Death& death) { return !death.all.ended && !death.time && !death.exit_known(); }

const StallEvidence* last_stall(const Death& death) {
    if (!death.decides || death.all.stalls.empty()) return nullptr;
    const StallEvidence& stall = death.all.stalls.back();
    if (stall.processes.empty() || stall.processes.front().threads.empty()) return nullptr;
    if (is_live(death)) return stall.told && !stall.moved ? &stall : nullptr;
    const std::optional<RunTime> end = stopped_at(death);
    if (!end) return nullptr;
    if (stall.moved && later(*stall.moved, stall_thresholds::moved_by_the_end) < *end)
        return nullptr;
    if (stall.moved && (!death.time || *end == *death.time)) return nullptr;
    return between(stall.seen, *end) <= stall_thresholds::seen_before_the_end ? &stall : nullptr;
}

// ---- the explanations, in the order they are tried ----

struct Blame {
    StandstillKind kind;
    const StalledProcess* process;
    const WaitingThread* thread;
    const StalledProcess* waiting = nullptr;
};

std::optional<Blame> io_stall(const Death& death, const StallEvidence& stall) {
    // A wait for pages from swap looks the same, but has a cause of its own.
    if (death.all.pressure.memory_full.value_or(0) >= stall_thresholds::waits_for_swap &&
        had_to_wait_for_pages(death))
        return std::nullopt;
    for (const StalledProcess& process : stall.processes)
        for (const WaitingThread& thread : process.threads)
            // At a full limit the kernel drops the code of the program and has to read it again and
            // again.
            if (thread.wait == WaitKind::disk && waits_in_filesystem(thread) &&
                !(waits_for_a_page(thread) && memory_was_short(death)))
                return Blame{StandstillKind::io_stall, &process, &thread};
    return std::nullopt;
}

// Whether a child runs the same command as its parent: made by fork without exec.
bool is_forked(const Evidence& evidence, const ProcessEvidence& process) {
    const ProcessEvidence* parent = evidence.process(process.parent);
    return parent != nullptr && process.python && parent->python && !process.command.empty() &&
           process.command == parent->command;
}

std::optional<Blame> fork_deadlock(const Death& death, const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes) {
        const ProcessEvidence* child = death.all.process(process.pid);
        if (child == nullptr || !is_forked(death.all, *child) || process.threads.empty()) continue;
        // Every thread waits for a lock of this process, so nobody is left to release one.
        const bool alone =
            std::all_of(process.threads.begin(), process.threads.end(),
                        [](const WaitingThread& t) { return waits_for_own_lock(t); });
        if (alone && process.threads.size() == 1)
            return Blame{StandstillKind::fork_deadlock, &process, &process.threads.front()};
        const WaitingThread& main = process.threads.front();
        if (waits_for_own_lock(main) && main.owner && !thread_of(process, *main.owner))
            return Blame{StandstillKind::fork_deadlock, &process, &main};
    }
    return std::nullopt;
}

// The worker that does not answer: one that will deliver nothing, or else one that is at work in
// the user's own code.
const StalledProcess* silent_worker(const Death& death, const StallEvidence& stall, int parent) {
    const StalledProcess* in_own_code = nullptr;
    for (const StalledProcess& process : stall.processes) {
        const ProcessEvidence* known = death.all.process(process.pid);
        if (known == nullptr || known->parent != parent || process.threads.empty()) continue;
        const WaitingThread& main = process.threads.front();
        if (will_deliver_nothing(process)) return &process;
        const Frame* innermost = innermost_own(main);
        // A worker at rest waits for its next order, in the library's own loop.
        if (innermost != nullptr && in_own_code == nullptr && is_at_work(main))
            in_own_code = &process;
    }
    return in_own_code;
}

// Whether some worker or thread cannot deliver because it is blocked: by a lock, or in the middle
// of its own work.
bool somebody_is_held_up(const StallEvidence& stall, const StalledProcess& waiting) {
    for (const StalledProcess& process : stall.processes)
        for (std::size_t i = 0; i < process.threads.size(); ++i) {
            const WaitingThread& thread = process.threads[i];
            const bool main = i == 0;
            if (main && &process == &waiting) continue;
            const bool locked = waits_for_a_lock(thread) && is_own_code(thread.frames.back().file);
            if (locked || (main ? is_at_work(thread) : has_a_task(thread))) return true;
        }
    return false;
}

// A thread that should fill the queue waits for a lock of the program's own.
bool feeder_in_a_lock(const StalledProcess& process) {
    const std::vector<const WaitingThread*> locked = threads_in_locks(process);
    return std::any_of(locked.begin(), locked.end(), [](const WaitingThread* thread) {
        return is_own_code(thread->frames.back().file);
    });
}

std::optional<Blame> loader_stall(const Death& death, const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes) {
        const ProcessEvidence* known = death.all.process(process.pid);
        if (process.threads.empty() || known == nullptr || known->role == Role::worker) continue;
        const WaitingThread& main = process.threads.front();
        const bool loading = fetches_data(main);
        const StalledProcess* worker = silent_worker(death, stall, process.pid);
        // A worker no longer serves the queue or the pool.
        const bool stopped = worker != nullptr && is_stopped(*worker);
        const bool nobody_delivers = stall.inside_only && !somebody_is_held_up(stall, process);
        const bool delivery =
            waits_for_delivery(main) &&
            (stopped || nobody_delivers || (stall.steps > 0 && !feeder_in_a_lock(process)));
        if (!loading && !delivery) continue;
        if (worker != nullptr)
            return Blame{StandstillKind::loader_stall, worker, &worker->threads.front(), &process};
        return Blame{StandstillKind::loader_stall, &process, &main};
    }
    return std::nullopt;
}

std::optional<Blame> collective(const Death& death, const StallEvidence& stall) {
    const StalledProcess* joined = nullptr;
    const StalledProcess* absent = nullptr;
    for (const StalledProcess& process : stall.processes) {
        const ProcessEvidence* known = death.all.process(process.pid);
        if (known == nullptr || process.threads.empty()) continue;
        const bool joins = joins_others(process.threads.front());
        if (joins && joined == nullptr) joined = &process;
        if (!joins && known->role == Role::rank && absent == nullptr) absent = &process;
    }
    if (joined == nullptr) return std::nullopt;
    const StalledProcess* blamed = absent != nullptr ? absent : joined;
    return Blame{StandstillKind::collective, blamed, &blamed->threads.front(), joined};
}

// A thread that waits for the GIL wakes every few milliseconds to ask for it, and a look may catch
// it running.
bool looks_around(const WaitingThread& thread, const StallEvidence& stall) {
    const Nanos lasted = between(stall.since, stall.seen);
    return thread.wait == WaitKind::running && !thread.frames.empty() && stall.cpu &&
           times(*stall.cpu, stall_thresholds::idle_looks_around) < lasted;
}

std::optional<Blame> held_interpreter(const Death&, const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes) {
        const auto holder = std::find_if(process.threads.begin(), process.threads.end(),
                                         [](const WaitingThread& t) { return t.holds_gil; });
        if (holder == process.threads.end() || holder->wait == WaitKind::running) continue;
        const auto others = std::count_if(
            process.threads.begin(), process.threads.end(), [&](const WaitingThread& t) {
                return !t.holds_gil && (waits_for_interpreter(t) || looks_around(t, stall));
            });
        if (others > 0) return Blame{StandstillKind::held_interpreter, &process, &*holder};
    }
    return std::nullopt;
}

std::optional<Blame> lock_deadlock(const Death&, const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes)
        if (has_deadlocked_threads(process))
            return Blame{StandstillKind::lock_deadlock, &process, &process.threads.front()};
    if (!stall.inside_only) return std::nullopt;
    for (const StalledProcess& process : stall.processes)
        if (!process.threads.empty() && !process.threads.front().frames.empty())
            return Blame{StandstillKind::lock_deadlock, &process, &process.threads.front()};
    return std::nullopt;
}

bool may_take_long(const Frame& frame) {
    return is_compiler(frame.file) || is_pause_that_ends(frame.function);
}

// No steps are counted, but the thread does not leave one loop. The supervisor saw that, and read
// the loop's text. What the loop calls may be called anything.
std::optional<Blame> endless_loop(const StallEvidence& stall) {
    const StalledProcess& process = stall.processes.front();
    const WaitingThread& main = process.threads.front();
    const int to_loop = static_cast<int>(main.frames.size()) - std::max(*stall.in_loop, 0);
    if (!stall.busy || to_loop <= 0 ||
        std::any_of(main.frames.begin(), main.frames.begin() + to_loop, may_take_long))
        return std::nullopt;
    return Blame{StandstillKind::no_progress, &process, &main};
}

std::optional<Blame> no_progress(const Death& death, const StallEvidence& stall) {
    if (stall.in_loop) return endless_loop(stall);
    if (!stall.busy || stall.steps == 0) return std::nullopt;
    const StalledProcess* stepping = &stall.processes.front();
    for (const AgentEvidence& agent : death.all.agents)
        for (const StalledProcess& process : stall.processes)
            if (process.pid == agent.pid && agent.steps.count == stall.steps) stepping = &process;
    if (stepping->threads.empty()) return std::nullopt;
    const WaitingThread& main = stepping->threads.front();
    // Validation and compilation take long and count no steps: say nothing unless sure. A thread
    // that runs all the time may have no readable frames.
    if (!stall.told && (main.frames.empty() || pauses_between_steps(main))) return std::nullopt;
    return Blame{StandstillKind::no_progress, stepping, &main};
}

// A server at rest waits, too, but in accept or poll; a worker at rest waits in its library's loop.
// So count only a read without a time limit that the program's own code called.
std::optional<Blame> unanswered_read(const Death& death, const StallEvidence& stall) {
    if (stall.busy) return std::nullopt;
    for (const StalledProcess& process : stall.processes) {
        const ProcessEvidence* known = death.all.process(process.pid);
        if (known == nullptr || known->role == Role::worker || process.threads.empty()) continue;
        const WaitingThread& main = process.threads.front();
        const bool by_own_code = !main.frames.empty() && is_own_code(main.frames.back().file);
        const bool of_others =
            main.target.starts_with("socket:") || main.target.starts_with("pipe:");
        if (main.wait == WaitKind::read && !main.timed && by_own_code && of_others)
            return Blame{StandstillKind::unanswered_read, &process, &main};
    }
    return std::nullopt;
}

using Explain = std::optional<Blame> (*)(const Death&, const StallEvidence&);
constexpr std::array<Explain, 8> explanations{io_stall,    fork_deadlock,    loader_stall,
                                              collective,  held_interpreter, lock_deadlock,
                                              no_progress, unanswered_read};

StallSign sign_of(const Standstill& stand) {
    if (stand.kind == StandstillKind::no_progress) return StallSign::busy;
    if (stand.stall->inside_only || stand.kind == StandstillKind::fork_deadlock)
        return StallSign::proven;
    if (stand.kind == StandstillKind::io_stall) return StallSign::kernel;
    return StallSign::waiting;
}

}  // namespace

std::optional<Standstill> standstill_of(const Death& death) {
    const StallEvidence* stall = last_stall(death);
    if (stall == nullptr || rests(stall->processes)) return std::nullopt;
    Standstill stand;
    stand.stall = stall;
    stand.live = is_live(death);
    stand.lasted = between(stall->since, stand.live ? stall->seen : *stopped_at(death));
    for (const Explain explain : explanations) {
        const std::optional<Blame> blame = explain(death, *stall);
        if (!blame) continue;
        stand.kind = blame->kind;
        stand.culprit = blame->process;
        stand.thread = blame->thread;
        stand.waiting = blame->waiting != nullptr ? blame->waiting : blame->process;
        if (stand.live || lasted_long_enough(*stall, sign_of(stand), stand.lasted)) return stand;
    }
    return std::nullopt;
}

std::optional<Where> place_of(const Standstill& stand) {
    std::vector<Frame> frames = stand.thread->frames;
    if (stand.kind == StandstillKind::no_progress && stand.stall->in_loop) {
        const auto inside = static_cast<std::size_t>(std::max(*stand.stall->in_loop, 0));
        frames.resize(frames.size() - std::min(inside, frames.size()));
    }
    return own_place(frames);
}

Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts) {
    Finding finding{.cause = cause,
                    .confidence = confidence,
                    .where = place_of(stand),
                    .pid = stand.culprit->pid,
                    .keeper = {},
                    .death = death.shared_from_this(),
                    .facts = std::move(facts)};
    if (!finding.where && !stand.waiting->threads.empty())
        finding.where = own_place(stand.waiting->threads.front().frames);
    return finding;
}

}  // namespace holdfast
