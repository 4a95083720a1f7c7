// Pages that a child of fork still shares with its relatives. The first process to write to such a
// page gets a copy, without asking any allocator; and Python writes to an object even when it only
// reads it.
#pragma once

#include <cstdint>

#include "agent/guard/guard_page.h"

namespace holdfast::agent {

// How many bytes this process is still likely to copy; 0 unless it was forked.
std::uint64_t copies_to_come(GuardState& state, std::int64_t now);

}  // namespace holdfast::agent
