// Where a handler of the program runs. If the program gave a thread no alternate stack, the thread
// has ours, which is small and meant for crashes. A handler that asked for one then runs on the
// thread's ordinary stack, as it would without us.
//
// As long as the program has set no alternate stack, we hide SA_ONSTACK from the kernel, and
// everything is as it would be. After that it depends on the thread, and our handler decides.
#pragma once

#include <signal.h>

#include <cstdint>

#include "agent/signals/signal_set.h"

namespace holdfast::agent {

// Made in our handler, from what the kernel gave it.
class ProgramStack {
public:
    ProgramStack(const struct sigaction& theirs, const void* context);
    // Without room for a signal frame the kernel kills the process, whatever handler it has. True:
    // that will happen when our handler returns.
    bool ends_for_lack_of_room() const;
    // With this mask, or the present one. On our own stack nothing may interrupt us: the next
    // handler would run there, too.
    void call(int number, siginfo_t* info, void* context) const;
    void call(int number, siginfo_t* info, void* context, SignalMask mask) const;

private:
    void (*handler_)(int, siginfo_t*, void*);
    std::uintptr_t top_ = 0;  // 0: stay where we are
};

// The handler of this context runs on an alternate stack of the program's, too small for a second
// signal frame and our handler.
bool has_little_room(const void* context);
// From now on SA_ONSTACK of any signal means a stack of the program's own.
void watch_handlers_on_stack();
void leave_handlers_on_stack();
// The program sets a handler for a signal that we do not handle yet.
void stand_before_on_stack(int number, const struct sigaction& theirs);
// The program sets a stack of its own, on any thread.
void program_sets_stack();
// The flags for the kernel: SA_ONSTACK only if it has the effect that the program expects.
int flags_for_kernel(const struct sigaction& theirs);

}  // namespace holdfast::agent
