// Pages that a child of fork still shares with its relatives. Whoever writes to one first gets a
// copy, and no allocator is asked: Python writes to an object by merely looking at it.
#pragma once

#include <cstdint>

#include "agent/guard/page.h"

namespace holdfast::agent {

// What is likely to be copied yet, seen from this process; 0 unless it was forked.
std::uint64_t copies_to_come(GuardState& state, std::int64_t now);

// Whether this process is a copy of the one that loaded the agent.
bool was_forked();

}  // namespace holdfast::agent
