// What a single thread of a stalled process tells: whom it waits for, and where.
#pragma once

#include <algorithm>
#include <string>

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
// Tries for the interpreter's lock, five milliseconds at a time.
bool waits_for_interpreter(const WaitingThread& thread);
// In uninterruptible sleep for a disk or a network filesystem, and not for a child of vfork, a
// debugger or a driver.
bool waits_in_filesystem(const WaitingThread& thread);
// In no system call: a page of its code or of a mapped file has to be read.
bool waits_for_a_page(const WaitingThread& thread);
// Does something of the user's, in contrast to a worker that waits for its next order.
bool is_at_work(const WaitingThread& thread);

// "train.py:42", without the folders.
std::string file_and_line(Where where);
const Frame* innermost_own(const WaitingThread& thread);
// "MainThread", "collect", or "thread 4243" where its name is only the program's.
std::string thread_label(const WaitingThread& thread, const StalledProcess& process);
const WaitingThread* thread_of(const StalledProcess& process, int tid);
// A child that runs what its parent runs: made by fork, without exec.
bool is_forked(const Evidence& evidence, const ProcessEvidence& process);

}  // namespace holdfast
