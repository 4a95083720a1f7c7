#include "stall/judge.h"

#include <algorithm>

#include "base/time.h"
#include "stall/thresholds.h"
#include "stall/waits.h"

namespace holdfast {
namespace {

using namespace stall_thresholds;

template <class Test>
bool any_thread(const StallPicture& picture, Test test) {
    return std::any_of(picture.processes.begin(), picture.processes.end(),
                       [&](const PicturedProcess& process) {
                           return std::any_of(process.threads.begin(), process.threads.end(), test);
                       });
}

// Somebody who should bring the data will not.
bool a_worker_is_stuck(const StallPicture& picture, const PicturedProcess& parent) {
    return std::any_of(
        picture.processes.begin(), picture.processes.end(), [&](const PicturedProcess& process) {
            return process.parent == parent.pid && process.worker && will_deliver_nothing(process);
        });
}

// Whether it waits for a child that somebody has stopped.
bool waits_for_a_stopped_child(const StallPicture& picture, const PicturedProcess& process) {
    const WaitingThread* main = process.main_thread();
    if (main == nullptr || process.worker || !waits_for_somebody(*main)) return false;
    return std::any_of(picture.processes.begin(), picture.processes.end(),
                       [&](const PicturedProcess& child) {
                           return child.parent == process.pid && is_stopped(child);
                       });
}

const PicturedProcess* process_of(const StallPicture& picture, int pid) {
    for (const PicturedProcess& process : picture.processes)
        if (process.pid == pid) return &process;
    return nullptr;
}

bool has_a_rhythm(const StallFacts& facts) {
    return facts.steps && facts.steps->count >= enough_steps;
}

// The time of the newest step may be any number: it comes from memory that the program writes.
Nanos since_last_step(const StallFacts& facts) { return between(facts.steps->last, facts.now); }

// Code runs, but no step ends. A validation or a compilation looks the same. But it takes neither
// longer than all the training before, nor much longer than any step before.
bool is_busy_stall(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    const StepsCounted& steps = *facts.steps;
    const Nanos training = std::min(between(steps.first, steps.last), longest_training);
    const Nanos limit =
        std::max(too_long(busy_without_a_step(patience), steps.usual, steps.longest), training);
    return since_last_step(facts) >= limit && !any_thread(picture, pauses_between_steps);
}

bool is_quiet_stall(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    if (facts.quiet >= patience && picture.inside_only()) return true;
    if (facts.quiet < times(patience, for_weak_signs)) return false;
    const std::vector<PicturedProcess>& all = picture.processes;
    if (std::any_of(all.begin(), all.end(), has_deadlocked_threads)) return true;
    if (any_thread(picture, [](const WaitingThread& t) { return t.wait == WaitKind::disk; }))
        return true;
    for (const PicturedProcess& process : all) {
        const WaitingThread* main = process.main_thread();
        if (main == nullptr) continue;
        if (fetches_data(*main) && a_worker_is_stuck(picture, process)) return true;
        if (joins_others(*main) && facts.quiet >= times(patience, for_collectives)) return true;
        if (waits_for_a_stopped_child(picture, process)) return true;
    }
    if (!has_a_rhythm(facts)) return false;
    const StepsCounted& steps = *facts.steps;
    const PicturedProcess* stepping = process_of(picture, steps.pid);
    return stepping != nullptr && stepping->main_thread() != nullptr &&
           waits_for_somebody(*stepping->main_thread()) &&
           since_last_step(facts) >=
               too_long(waiting_without_a_step(patience), steps.usual, steps.longest);
}

}  // namespace

bool is_worth_a_look(const StallFacts& facts) {
    return has_a_rhythm(facts) &&
           since_last_step(facts) >=
               too_long(worth_a_look, facts.steps->usual, facts.steps->longest);
}

bool is_stuck(const StallPicture& picture, const StallFacts& facts, Nanos patience) {
    if (picture.processes.empty() || rests(picture.processes)) return false;
    const bool python = std::any_of(picture.processes.begin(), picture.processes.end(),
                                    [](const PicturedProcess& p) { return p.python(); });
    if (!python) return false;
    if (is_quiet_stall(picture, facts, patience)) return true;
    return has_a_rhythm(facts) && facts.quiet < patience && is_busy_stall(picture, facts, patience);
}

bool steps_overdue(const StallEvidence& stall) {
    if (!stall.last_step || stall.steps < enough_steps_at_the_end) return false;
    const Nanos limit = too_long(without_a_step_at_the_end, stall.usual.value_or(Nanos{}),
                                 stall.longest.value_or(Nanos{}));
    return between(*stall.last_step, stall.seen) >= limit;
}

bool silent_in_a_loop(const StallEvidence& stall) {
    return stall.in_loop && stall.last_step &&
           between(*stall.last_step, stall.seen) >= too_long(without_a_write,
                                                             stall.usual.value_or(Nanos{}),
                                                             stall.longest.value_or(Nanos{}));
}

bool lasted_long_enough(const StallEvidence& stall, StallSign sign, Nanos lasted) {
    switch (sign) {
    case StallSign::proven: return lasted >= proven_at_the_end;
    case StallSign::kernel: return lasted >= likely_at_the_end;
    case StallSign::waiting:
        return lasted >= likely_at_the_end && (stall.steps == 0 || steps_overdue(stall));
    case StallSign::busy: return steps_overdue(stall) || silent_in_a_loop(stall);
    }
    return false;
}

}  // namespace holdfast
