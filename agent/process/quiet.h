// When the agent makes no system call of its own any more, and maps nothing.
//
// A seccomp filter ends the process at the first call that its author did not think of, and he did
// not think of us. So we stand in front of prctl(2) and syscall(2): whatever sets a filter, of any
// kind, first makes us leave signals, stacks, memory and Python as they would be without us. This
// lasts over fork, and nothing is put into the environment of programs started from then on, since
// a filter lasts over exec. What does not come this way is not seen: a system call written as an
// instruction, or libc's functions found by dlopen("libc.so.6"). To look at /proc/self/status from
// time to time would be such a call itself.
//
// A program that we do not come into (a static one: Go, a sandbox) may set a filter, too, and start
// one that has us: that one compares the number of its filters with the one in the environment.
// Containers have filters from the start, and are watched.
//
// The same holds where so little memory is allowed (RLIMIT_AS, RLIMIT_DATA) that our own mappings
// would be missed.
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
