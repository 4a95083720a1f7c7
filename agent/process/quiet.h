// When the agent must make no more system calls of its own and map nothing.
//
// A seccomp filter ends the process at the first call that its author did not list, and the author
// did not know about us. So we wrap prctl(2) and syscall(2): before any filter is set, we leave
// signals, stacks, memory and Python as they would be without us. This lasts over fork, and nothing
// signals, stacks, memory and Python as they would be without us. This lasts over fork. Programs
// started from then on get nothing in their environment, because a filter lasts over exec. We do
// not see an inline system call, or libc's functions found by dlopen("libc.so.6"). Reading
// /proc/self/status from time to time would itself be a forbidden call.
//
// A program that cannot load us (a static one: Go, a sandbox) may set a filter, too, and start a
// program that can. That program compares the number of its filters with the number in the
// environment. Containers have filters from the start, and are watched.
//
// The same happens if the limits (RLIMIT_AS, RLIMIT_DATA) leave so little memory that our own
// mappings would take it from the program.
#pragma once

namespace holdfast::agent {

bool quiet();

// First of all, at load; true: stay quiet.
bool begins_quiet();

// Before the calling process comes under a filter.
void go_quiet();

// False: programs are started as they would be without us. Also false in the child of a vfork that
// has set itself a filter or a limit.
bool watches_children();

}  // namespace holdfast::agent
