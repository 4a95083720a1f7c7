// The call at the brink: memory is about to run out, and what takes it cannot be refused. The main
// thread gets a signal, as with Ctrl-C, and then a BrinkError at its next line of Python.
#pragma once

#include <cstddef>
#include <cstdint>

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

enum class Raise : std::uint8_t {
    nothing,
    here,        // a BrinkError
    for_others,  // an error that is sent to another process
};
struct AtBrink {
    Raise raise = Raise::nothing;
    // Threads that take memory while the main one waits for them, as pthread_self() names them.
    // They go on unless they get an error, too.
    static constexpr std::size_t most_threads = 64;
    unsigned long threads[most_threads];
    std::size_t thread_count = 0;
};
// Asked by the handler, in the main thread between two bytecodes. What is raised is written down.
AtBrink called_at_brink();

}  // namespace holdfast::agent
