// Memory that no hook saw being requested. Some allocators (Arrow's, Polars', JAX's) reserve
// address space in bulk and touch it bit by bit: such memory is charged to the line where the main
// thread was while it became resident.
#pragma once

#include <cstdint>

#include "agent/heap/state.h"

namespace holdfast::agent {

// All under the lock.
inline std::int64_t seen_by_hooks(const Unseen& unseen, const format::AgentMemory& memory) {
    return unseen.base + static_cast<std::int64_t>(memory.live_bytes - unseen.bytes);
}
// After each block that is counted.
inline void note_seen(Unseen& unseen, const format::AgentMemory& memory) {
    const std::int64_t seen = seen_by_hooks(unseen, memory);
    if (seen > unseen.highest) unseen.highest = seen;
}
void look_for_unseen(HeapState& state, format::AgentMemory& memory, std::int64_t now);

}  // namespace holdfast::agent
