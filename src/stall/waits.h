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
    itself,   // it runs, or there is a time limit
    tree,     // only another thread or process of the tree
    anybody,  // whoever is at the other end of a socket, a terminal, a device
};

// `targets`: what the descriptors it waits for lead to. `held_outside`: of the pipes among them
// those that a process outside the tree has an end of.
EndedBy ended_by(const WaitingThread& thread, const std::vector<std::string>& targets,
                 const std::set<std::string>& held_outside);
bool is_pipe(const std::string& target);
// One that a notebook's kernel keeps for its messages. Whoever sends one could not end a wait of
// the program's, so a picture leaves these out: they would make every wait look as if somebody
// could. `cut`: its frames are not all there.
bool serves_a_kernel(const WaitingThread& thread, bool cut);

// ---- what it waits for ----

// A lock without a time limit that only threads of the same process can release.
bool waits_for_own_lock(const WaitingThread& thread);
// The same, asked for right in the code on top of the stack: not a queue, not an event.
bool waits_for_a_lock(const WaitingThread& thread);
std::vector<const WaitingThread*> threads_in_locks(const StalledProcess& process);
// The main thread waits for a lock, and another one does, too; more of the process may tick on, as
// a progress bar's does. Without the main thread they may be helpers at rest.
bool has_deadlocked_threads(const StalledProcess& process);
// Tries for the interpreter's lock, five milliseconds at a time.
bool waits_for_interpreter(const WaitingThread& thread);
// In uninterruptible sleep for a disk or a network filesystem, and not for a child of vfork, a
// debugger or a driver.
bool waits_in_filesystem(const WaitingThread& thread);
// In no system call: a page of its code or of a mapped file has to be read.
bool waits_for_a_page(const WaitingThread& thread);
// A queue or a pool is to deliver.
bool waits_for_delivery(const WaitingThread& thread);
bool fetches_data(const WaitingThread& thread);
bool joins_others(const WaitingThread& thread);
// What takes long and counts no steps: it compiles, validates, saves.
bool pauses_between_steps(const WaitingThread& thread);
// For somebody, and not for time, a terminal or the network at large.
bool waits_for_somebody(const WaitingThread& thread);
bool is_stopped(const StalledProcess& process);
// Does something of the user's, in contrast to a worker that waits for its next order.
bool is_at_work(const WaitingThread& thread);
// In the middle of what a pool of threads gave it to do, in contrast to one that serves a queue.
bool has_a_task(const WaitingThread& thread);

const Frame* innermost_own(const WaitingThread& thread);
const WaitingThread* thread_of(const StalledProcess& process, int tid);

// ---- who rests, and is not stuck ----

// In a debugger's hand, or in one that it runs itself.
bool is_debugged(const StalledProcess& process);
// A lone thread that waits for an event waits for a signal handler, as services do.
bool waits_for_a_signal(const StalledProcess& only);

// `processes`: StalledProcess or more, the working one first; there must be one.
template <class Processes>
bool rests(const Processes& processes) {
    if (std::any_of(processes.begin(), processes.end(), is_debugged)) return true;
    if (processes.size() == 1 && waits_for_a_signal(processes.front())) return true;
    // Stopped by the user, who knows.
    return is_stopped(processes.front());
}

}  // namespace holdfast
