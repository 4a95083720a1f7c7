#include "supervise/stall_judge.h"

#include <algorithm>

#include "knowledge/places.h"

namespace holdfast {
namespace {

using std::chrono::hours;

// Steps before this many have no usual length: the first ones compile, allocate, fill caches.
constexpr std::uint64_t enough_steps = 5;

template <class Test>
bool any_frame(const StallThread& thread, Test test) {
    return std::any_of(thread.frames.begin(), thread.frames.end(), test);
}

template <class Test>
bool any_thread(const StallPicture& picture, Test test) {
    for (const PicturedProcess& process : picture.processes)
        if (std::any_of(process.threads.begin(), process.threads.end(), test)) return true;
    return false;
}

bool fetches_data(const StallThread& thread) {
    return any_frame(thread,
                     [](const StallFrame& f) { return is_data_loading(f.file, f.function); });
}

bool joins_others(const StallThread& thread) {
    return any_frame(thread, [](const StallFrame& f) { return is_collective(f.file); });
}

bool is_debugged(const StallPicture& picture) {
    const bool traced = std::any_of(picture.processes.begin(), picture.processes.end(),
                                    [](const PicturedProcess& p) { return p.traced; });
    return traced || any_thread(picture, [](const StallThread& thread) {
               return any_frame(thread, [](const StallFrame& f) { return is_debugger(f.file); });
           });
}

// A lone thread that waits for an event waits for a signal handler, as services do.
bool waits_for_a_signal(const StallPicture& picture) {
    if (picture.processes.size() != 1 || picture.processes[0].threads.size() != 1) return false;
    const StallThread& only = picture.processes[0].threads.front();
    if (only.frames.empty()) return true;
    // A queue is filled by a thread or a process, never by a handler.
    const bool queue =
        any_frame(only, [](const StallFrame& f) { return is_delivery_wait(f.file); });
    return !queue && is_notice_wait(only.frames.front().file);
}

// Held right where the program's own code asked for it: not a queue, not an event.
bool waits_for_a_lock(const StallThread& thread) {
    return thread.wait == "lock" && !thread.timed && thread.own_lock && !thread.frames.empty() &&
           !is_notice_wait(thread.frames.front().file) &&
           !is_delivery_wait(thread.frames.front().file);
}

// The main thread waits for a lock, and another one does, too; more of the process may tick on, as
// a progress bar's does. Without the main thread they may be helpers at rest.
bool has_deadlocked_threads(const PicturedProcess& process) {
    return !process.threads.empty() && waits_for_a_lock(process.threads.front()) &&
           std::count_if(process.threads.begin(), process.threads.end(), waits_for_a_lock) >= 2;
}

// The main thread waits for somebody, and not for time, a terminal or the network at large.
bool waits_for_somebody(const PicturedProcess& process) {
    const StallThread* main = process.main_thread();
    if (main == nullptr) return false;
    return main->inside || main->wait == "lock" || main->wait == "child" || main->wait == "disk" ||
           main->wait == "file lock" || fetches_data(*main) || joins_others(*main);
}

bool in_disk_wait(const StallPicture& picture) {
    return any_thread(picture, [](const StallThread& t) { return t.wait == "disk"; });
}

bool is_stopped(const PicturedProcess& process) {
    const StallThread* main = process.main_thread();
    return main != nullptr && main->wait == "stopped";
}

// Everybody who should bring the data is stuck for good, or stopped.
bool workers_are_stuck(const StallPicture& picture, const PicturedProcess& parent) {
    bool any = false;
    for (const PicturedProcess& process : picture.processes) {
        if (process.parent != parent.pid || process.role != format::ProcessRole::worker) continue;
        const StallThread* main = process.main_thread();
        const bool stuck =
            is_stopped(process) || (main != nullptr && main->own_lock && main->inside);
        any = any || stuck;
    }
    return any;
}

const PicturedProcess* process_of(const StallPicture& picture, pid_t pid) {
    for (const PicturedProcess& process : picture.processes)
        if (process.pid == pid) return &process;
    return nullptr;
}

// How long without a step is too long, given how long they took so far.
Nanos too_long(const StepsSeen& steps, Nanos at_least, int usual, int longest) {
    return std::max({at_least, steps.usual * usual, steps.longest * longest});
}

// Code runs, but no step ends. A validation or a compilation looks just so: what takes longer than
// all the training before it, and has taken so long never before, is neither.
bool is_busy_stall(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    const StepsSeen& steps = *facts.steps;
    const Nanos training = std::clamp<Nanos>(steps.last - steps.first, Nanos{}, hours(2));
    const Nanos limit = std::max(too_long(steps, patience * 15, 100, 5), training);
    if (facts.now - steps.last < limit) return false;
    return !any_thread(picture, [](const StallThread& thread) {
        return any_frame(thread, [](const StallFrame& f) {
            return is_compiler(f.file) || is_pause_between_steps(f.function);
        });
    });
}

bool is_quiet_stall(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    if (facts.quiet >= patience && picture.inside_only() && !waits_for_a_signal(picture))
        return true;
    if (facts.quiet < patience * 3) return false;
    const std::vector<PicturedProcess>& all = picture.processes;
    if (std::any_of(all.begin(), all.end(), has_deadlocked_threads) || in_disk_wait(picture))
        return true;
    for (const PicturedProcess& process : all) {
        const StallThread* main = process.main_thread();
        if (main == nullptr) continue;
        if (fetches_data(*main) && workers_are_stuck(picture, process)) return true;
        if (joins_others(*main) && facts.quiet >= patience * 6) return true;
        if (waits_for_somebody(process) && process.role != format::ProcessRole::worker &&
            std::any_of(all.begin(), all.end(), [&](const PicturedProcess& child) {
                return child.parent == process.pid && is_stopped(child);
            }))
            return true;
    }
    if (!facts.steps || facts.steps->count < enough_steps) return false;
    const PicturedProcess* stepping = process_of(picture, facts.steps->pid);
    return stepping != nullptr && waits_for_somebody(*stepping) &&
           facts.now - facts.steps->last >= too_long(*facts.steps, patience * 3, 30, 3);
}

}  // namespace

bool is_overdue(const StallFacts& facts) {
    if (!facts.steps || facts.steps->count < enough_steps) return false;
    return facts.now - facts.steps->last >= too_long(*facts.steps, std::chrono::seconds(5), 10, 1);
}

bool is_stuck(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    if (picture.processes.empty() || is_debugged(picture)) return false;
    // Stopped by the user, who knows.
    if (is_stopped(picture.processes.front())) return false;
    const bool python = std::any_of(picture.processes.begin(), picture.processes.end(),
                                    [](const PicturedProcess& p) { return p.python(); });
    if (!python) return false;
    if (is_quiet_stall(picture, facts, patience)) return true;
    return facts.steps && facts.steps->count >= enough_steps && facts.quiet < patience &&
           is_busy_stall(picture, facts, patience);
}

}  // namespace holdfast
