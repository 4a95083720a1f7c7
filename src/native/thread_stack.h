// The native stack of a waiting thread, read from outside without stopping it.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace holdfast {

// "libgomp.so.1 gomp_team_end", innermost first. Leaves out the C library's own frames if others
// follow. Empty if the stack may not be read, if the thread moves meanwhile, or if it takes longer
// than `within`.
//
// For a thread in a system call the kernel tells the stack pointer and the pc, and no other
// register. So the walk ends at the first function whose unwinding needs another register: never a
// guess.
std::vector<std::string> native_frames_of(int pid, int tid, Nanos within);

}  // namespace holdfast
