// When the agent must make no more system calls of its own and map nothing.
//
// A seccomp filter ends the process at the first call that its author did not list, and the author
// did not know about us. So we wrap prctl(2) and syscall(2): before any filter is set, we leave
// signals, stacks, memory and Python as they would be without us. This lasts over fork, and nothing
// is put into the environment of programs started from then on, since a filter lasts over exec.
// Some ways are not seen: an inline system call, or libc's functions found by dlopen("libc.so.6").
// Reading /proc/self/status from time to time would itself be a forbidden call.
//
// A program that cannot load us (a static one: Go, a sandbox) may set a filter, too, and start a
// program that can: that program compares the number of its filters with the number in the
// environment. Containers have filters from the start, and are watched.
//
// The same holds if so little memory is allowed (RLIMIT_AS, RLIMIT_DATA) that the program would
// lack what our own mappings take.
#pragma once

namespace holdfast::agent {

bool quiet();

// First of all, at load; true: stay so.
bool begins_quiet();

// Before the calling process comes under a filter.
void go_quiet();

// False: programs are started as they would be without us. Also in the child of a vfork that has
// set a filter for itself, or a limit.
bool watches_children();

}  // namespace holdfast::agent
