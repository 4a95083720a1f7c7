// The program's own handler, called as the kernel would have called it.
#pragma once

#include <signal.h>

namespace holdfast::agent {

// From our handler, which the kernel called with other flags and another mask than `theirs` has.
void call_program_handler(const struct sigaction& theirs, int number, siginfo_t* info,
                          void* context);

}  // namespace holdfast::agent
