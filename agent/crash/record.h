// Everything the record of a crash holds.
#pragma once

#include <signal.h>

#include <cstdint>

#include "record/agent_format.h"

namespace holdfast::agent {

// Finds what must be looked up while the process is still sound.
void prepare_record();

// Fills in the record, the most important parts first, and ends with its state `complete`. Runs on
// a separate stack; `helper_stack_top` is another one.
void fill_record(format::Crash& crash, int number, const siginfo_t& info, const void* context,
                 void* helper_stack_top);

// The stack pointer of the interrupted code.
std::uintptr_t stack_pointer(const void* context);

// Sent by a process (this one too) rather than caused by an instruction.
inline bool was_sent(const siginfo_t& info) { return info.si_code <= 0; }

}  // namespace holdfast::agent
