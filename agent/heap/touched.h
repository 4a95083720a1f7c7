// How much of requested memory is touched. Untouched memory costs nothing: OpenBLAS maps half a
// gigabyte on a large machine and uses none of it, and `np.zeros` costs nothing until it is
// written.
#pragma once

#include "agent/heap/state.h"

namespace holdfast::agent {

// From now on, large blocks and regions count only with their resident pages; those that were once
// fully resident are not checked again. Under the heap's lock.
void weigh_by_touch(HeapState& state, format::AgentMemory& memory);

}  // namespace holdfast::agent
