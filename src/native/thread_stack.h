// The native stack of a waiting thread, read from outside without stopping it.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace holdfast {

// "libgomp.so.1 gomp_team_end", innermost first, the C library's own frames left out where others
// follow. Empty where it may not be read, moves on meanwhile, or takes longer than `within`.
//
// The kernel tells stack pointer and place of a thread in a system call, and no other register, so
// the walk ends at the first function that is found by one of those: never a guess.
std::vector<std::string> native_frames_of(int pid, int tid, Nanos within);

}  // namespace holdfast
