// What single threads and processes tell about a wait: what for, in whose code, whether it can end,
// and who could end it. The same questions for a living program and for one that has ended.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/stall_evidence.h"

namespace holdfast {

template <class Test>
bool runs(const WaitingThread& thread, Test test) {
    return std::any_of(thread.frames.begin(), thread.frames.end(), test);
}

// ---- who could end it ----

enum class EndedBy {
    itself,   // it runs, or the wait has a time limit
    tree,     // only another thread or process of the tree
    anybody,  // whoever is at the other end of a socket, a terminal, a device
};

// `targets`: what the descriptors that it waits for lead to. `held_outside`: those pipes among them
// that a process outside the tree has open, too.
EndedBy ended_by(const WaitingThread& thread, const std::vector<std::string>& targets,
                 const std::set<std::string>& held_outside);
bool is_pipe(const std::string& target);
// A thread that a notebook's kernel keeps for its messages. Whoever sends one cannot end a wait of
// the program's own, so a picture leaves these threads out: otherwise every wait would look as if
// somebody could end it. `cut`: some of its frames are missing.
bool serves_a_kernel(const WaitingThread& thread, bool cut);

// ---- what it waits for ----

// It waits for a lock that only threads of the same process can release, without a time limit.
bool waits_for_own_lock(const WaitingThread& thread);
// The same, but the code on top of the stack took the lock itself, and not through a queue or an
// event.
bool waits_for_a_lock(const WaitingThread& thread);
std::vector<const WaitingThread*> threads_in_locks(const StalledProcess& process);
// The main thread waits for a lock, and another thread does, too; further threads may run, as a
// progress bar's does. If the main thread does not wait for a lock, such threads may be idle
// helpers.
bool has_deadlocked_threads(const StalledProcess& process);
// It tries to get the GIL, for five milliseconds at a time.
bool waits_for_interpreter(const WaitingThread& thread);
// In uninterruptible sleep for a disk or a network filesystem, and not for a child of vfork, a
// debugger or a driver.
bool waits_in_filesystem(const WaitingThread& thread);
// It is in no system call: a page of its code or of a mapped file must be read first.
bool waits_for_a_page(const WaitingThread& thread);
// It waits for a queue or a pool to deliver.
bool waits_for_delivery(const WaitingThread& thread);
bool fetches_data(const WaitingThread& thread);
bool joins_others(const WaitingThread& thread);
// It does something that takes long and counts no steps: it compiles, validates or saves.
bool pauses_between_steps(const WaitingThread& thread);
// It waits for a thread or process, and not for time, a terminal or the network.
bool waits_for_somebody(const WaitingThread& thread);
bool is_stopped(const StalledProcess& process);
// A worker that is stopped, or waits for a lock that nobody outside its own process can release.
bool will_deliver_nothing(const StalledProcess& worker);
// It runs the user's own code, unlike a worker that waits for its next task.
bool is_at_work(const WaitingThread& thread);
// It is in the middle of a task from a pool of threads, unlike a thread that serves a queue.
bool has_a_task(const WaitingThread& thread);

const Frame* innermost_own(const WaitingThread& thread);
const WaitingThread* thread_of(const StalledProcess& process, int tid);

// ---- who rests, and is not stuck ----

// A debugger controls it, or it runs one itself.
bool is_debugged(const StalledProcess& process);
// A lone thread that waits for an event waits for a signal handler, as services do.
bool waits_for_a_signal(const StalledProcess& only);

// `processes`: of type StalledProcess or derived, at least one, the working one first.
template <class Processes>
bool rests(const Processes& processes) {
    if (std::any_of(processes.begin(), processes.end(), is_debugged)) return true;
    if (processes.size() == 1 && waits_for_a_signal(processes.front())) return true;
    // Somebody stopped it, and knows.
    return is_stopped(processes.front());
}

}  // namespace holdfast
