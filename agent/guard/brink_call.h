// The call at the brink: memory is about to run out, and what takes it cannot be refused. The main
// thread gets a signal, as with Ctrl-C, and then a BrinkError at its next line of Python.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// The signal that carries the call. A process without a handler ignores it.
int brink_signal();

// Whether the guard is on and this process is not yet ready for calls.
bool should_listen();
// Python has its handler for the signal: from now on the supervisor may call.
void listen_for_calls();
// The program uses the signal itself.
void stop_listening();

// Calls this process's main thread if it listens; at most once a millisecond.
void call_main_thread();

// Whether an error in this thread, which the program started itself and whose error reaches nobody,
// can be raised in the main thread, too.
bool main_thread_can_be_told();
// This thread was refused something: if its error reaches nobody, the main thread gets one.
void tell_main_thread();

enum class Raise : std::uint8_t {
    nothing,
    here,        // a BrinkError
    for_others,  // a plain MemoryError, because it is sent to another process
};
struct AtBrink {
    Raise raise = Raise::nothing;
    // Threads that take memory while the main one waits for them, as pthread_self() names them.
    // They go on unless they get an error, too.
    static constexpr std::size_t most_threads = 64;
    unsigned long threads[most_threads];
    std::size_t thread_count = 0;
};
// Asked by the handler, in the main thread between two bytecodes. Records what it lets be raised.
AtBrink called_at_brink();

}  // namespace holdfast::agent
