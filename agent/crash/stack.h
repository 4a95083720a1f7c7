// The crash handler's own stacks: recording must not depend on how much the program's alternate
// stack has left.
#pragma once

#include <signal.h>

#include <cstddef>

#include "agent/signals/table.h"

namespace holdfast::agent {

struct CrashStacks {
    void* record_top = nullptr;  // for the recording
    void* helper_top = nullptr;  // for the helper beside it
    stack_t nested{};            // for signals that arrive meanwhile
};

// False without memory. Untouched pages cost nothing.
bool make_crash_stacks(CrashStacks& stacks);

// Calls `handler` on another stack; debuggers and unwinders see through it.
extern "C" void holdfast_call_on(void* stack_top, SignalHandler handler, int number,
                                 siginfo_t* info, void* context);

}  // namespace holdfast::agent
