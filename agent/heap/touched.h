// How much of requested memory is touched. Untouched memory costs nothing: OpenBLAS maps half a
// gigabyte on a large machine and uses none of it, and `np.zeros` costs nothing until it is
// written.
#pragma once

#include "agent/heap/state.h"

namespace holdfast::agent {

// Large blocks and regions stand for the pages of them that are there, from now on. Under the
// heap's lock. Those that were all there once are not asked again.
void weigh_by_touch(HeapState& state, format::AgentMemory& memory);

}  // namespace holdfast::agent
