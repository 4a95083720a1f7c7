// What the program wants done with the signals that we handle. The kernel holds our handler; the
// program's own is kept here, shown to it when it asks, and called by ours.
#pragma once

#include <signal.h>

namespace holdfast::agent {

using SignalHandler = void (*)(int, siginfo_t*, void*);

// One way of standing in front: the handler, and the action that installs it before `theirs`.
struct Front {
    SignalHandler handler;
    struct sigaction (*before)(const struct sigaction& theirs);
};

// From now on `front` comes first for this signal, unless the program ignores it: then nothing
// is installed until it stops ignoring it. False when there is no memory for our state.
bool stand_before(int number, const Front& front);

// False in a child of vfork or of clone with CLONE_VM, which has its own signal actions but our
// memory: what it does must not be remembered for the parent.
bool own_process();

// True in such a child, as far as can be known.
bool in_vfork_child();

// Restores in the kernel what the program set, for every signal, and removes our alternate stack
// from the calling thread.
void leave_signals();

// The program's own action. Async-signal-safe.
struct sigaction program_action(int number);

// sigaction(2) as the program sees it; also for signals without a front.
int program_sigaction(int number, const struct sigaction* action, struct sigaction* before);
// A signal of our own, which the program does not know: its handler runs on any alternate stack.
// oneDNN 3.10 keeps data below the stack pointer, where a signal's frame would damage it.
void run_on_alternate_stack(int number);
// Our handlers' settings have changed: sets all of them again.
void install_again();
// If the program has the default action, gives it to the kernel in place of this handler, which
// would need more stack than there is. Until step_back().
void step_aside(SignalHandler ours);
void step_back(SignalHandler ours);
// SA_RESETHAND: the program's handler has had its one call.
void forget_handler(int number);
// siginterrupt(3) changed the kernel's flag; the program's follows.
void set_restart(int number, bool restart);

// Lets the kernel's default follow when the calling handler returns. `comes_again`: the faulting
// instruction will run again and fault by itself, which keeps the kernel's log line; any other
// signal is sent once more, with the same siginfo.
void default_follows(int number, const siginfo_t& info, bool comes_again);

inline bool is_handler(const struct sigaction& action) {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace holdfast::agent
