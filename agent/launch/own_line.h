// The innermost line of the program's own code on the calling thread, cheap enough for every kernel
// launch: whether a code object is the program's own is read once and remembered.
#pragma once

#include "agent/launch/origin.h"
#include "agent/python/stack.h"

namespace holdfast::agent {

enum class OwnLine { found, none, no_python };

// `no_python`: the thread has no Python frame. No lock, no system call but at the first sight of a
// code object. The interpreter's lock need not be held: a thread's own frames stand still while it
// is in a C function.
OwnLine own_line(OriginCache& cache, RawFrame& out);

}  // namespace holdfast::agent
