// Leaves the farewell when the supervisor crashes: nobody killed it, so nobody meant the program.
#pragma once

#include <csignal>

#include "supervise/farewell.h"

namespace holdfast {

// The signals of a fault. They must not be blocked, or the kernel kills without asking the handler.
inline constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// From now on a crash of this process leaves its mark on `page`; null: nowhere. A fault signal that
// somebody sent is made to wait in the inbox, as all other signals do.
void mark_crashes_on(FarewellPage* page);

}  // namespace holdfast
