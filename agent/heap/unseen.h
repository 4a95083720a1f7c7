// Memory that no hook saw being asked for. Some allocators reserve address space in bulk and touch
// it bit by bit (Arrow's, Polars', JAX's): it is put down to the line where the main thread was
// while it became resident.
#pragma once

#include <cstdint>

#include "agent/heap/state.h"

namespace holdfast::agent {

// Under the lock.
void look_for_unseen(HeapState& state, format::AgentMemory& memory, std::int64_t now);

}  // namespace holdfast::agent
