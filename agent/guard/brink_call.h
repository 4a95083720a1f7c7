// The call at the brink: memory is about to run out, and whoever takes it cannot be refused. The
// main thread is called as Ctrl-C would call it, and gets a BrinkError at its next line of Python.
#pragma once

namespace holdfast::agent {

// The signal that carries the call. Whoever has no handler for it does not notice it.
int brink_signal();

// Whether this process should be ready for calls and is not yet: the guard is on.
bool should_listen();
// Python has its handler for the signal: from now on the supervisor may call.
void listen_for_calls();
// The program wants the signal for itself.
void stop_listening();

// Calls the own main thread, where it listens; at most once a millisecond.
void call_main_thread();

// Whether an error in this thread of the program's, which nobody waits for in the usual ways, can
// be made one of the main thread, too.
bool main_thread_can_be_told();
// After this thread was refused something: where nobody gets its error, the main thread gets one.
void tell_main_thread();

// Asked by the handler, in the main thread between two bytecodes. True: raise; it is written down.
bool called_at_brink();

}  // namespace holdfast::agent
