// An uncaught C++ exception: its type and its what().
#pragma once

#include <cstdint>

#include "record/agent_format.h"

namespace holdfast::agent {

struct ThrownException {
    std::uintptr_t object = 0;   // 0: there is none
    std::uintptr_t speaker = 0;  // the std::exception in it; 0: it is none, or has been read
};

// Looks on the stack copy for std::terminate and, when it was reached by a throw, fills in
// exception_type; and exception_what, for types that can be read without being asked.
ThrownException find_exception(format::Crash& crash);

// Calls the exception's what(). That is code of the program and may wait for a lock or crash, so it
// runs in a helper process on the same memory, for a limited time. The last thing a handler does.
void ask_exception(const ThrownException& thrown, format::Crash& crash, void* helper_stack_top);

}  // namespace holdfast::agent
