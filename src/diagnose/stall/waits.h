// What a single thread of a stalled process tells: whom it waits for, and where.
#pragma once

#include <algorithm>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

template <class Test>
bool runs(const WaitingThread& thread, Test test) {
    return std::any_of(thread.frames.begin(), thread.frames.end(), test);
}

// A lock without a time limit that only threads of the same process can release.
bool waits_for_own_lock(const WaitingThread& thread);
// The same, asked for right in the code on top of the stack: not a queue, not an event.
bool waits_for_a_lock(const WaitingThread& thread);
std::vector<const WaitingThread*> threads_in_locks(const StalledProcess& process);
// Tries for the interpreter's lock, five milliseconds at a time.
bool waits_for_interpreter(const WaitingThread& thread);
// In uninterruptible sleep for a disk or a network filesystem, and not for a child of vfork, a
// debugger or a driver.
bool waits_in_filesystem(const WaitingThread& thread);
// In no system call: a page of its code or of a mapped file has to be read.
bool waits_for_a_page(const WaitingThread& thread);
// Does something of the user's, in contrast to a worker that waits for its next order.
bool is_at_work(const WaitingThread& thread);

// In the middle of what a pool of threads gave it to do, in contrast to a thread that serves a
// queue.
bool has_a_task(const WaitingThread& thread);
// For a queue, a pipe or a pool of the standard library.
bool waits_for_delivery(const WaitingThread& thread);

const Frame* innermost_own(const WaitingThread& thread);
const WaitingThread* thread_of(const StalledProcess& process, int tid);
// A child that runs what its parent runs: made by fork, without exec.
bool is_forked(const Evidence& evidence, const ProcessEvidence& process);

}  // namespace holdfast
