// Who would get the error of a refusal. In a worker process there is a recipient only if the code
// that runs the tasks catches what a task raises and sends it to the process that waits.
#pragma once

#include <cstddef>

#include "agent/base/text.h"
#include "agent/python/stack.h"

namespace holdfast::agent {

struct CalledFunction {
    Text file;
    Text function;
};

// `stack` is innermost first. False: the error would end a process that others wait for in vain.
bool error_is_received(const CalledFunction* stack, std::size_t count);

// The error is sent to another process.
bool error_is_sent_on(const CalledFunction* stack, std::size_t count);

// The same for a thread other than the main one: an error that is not carried on ends only that
// thread, and another thread may wait for it.
bool error_is_carried(const CalledFunction* stack, std::size_t count);

// A thread that the program itself started, with a function of its own. An error may end it if the
// main thread gets one, too.
bool is_thread_of_program(const CalledFunction* stack, std::size_t count);

// The calling thread's own stack, at most `most` frames; 0 if it cannot be read.
std::size_t own_stack(CalledFunction* stack, std::size_t most);
// The main thread's, as it is this moment.
std::size_t main_stack(CalledFunction* stack, std::size_t most);

// Another thread's, while the caller holds the interpreter's lock.
std::size_t stack_of(const OtherThread& thread, CalledFunction* stack, std::size_t most);

// error_is_received() or error_is_carried() for the calling thread, which has Python frames.
bool own_error_is_received();

}  // namespace holdfast::agent
