// Growth that no request shows: pools that map in bulk, pages touched late, other threads and
// processes. What it took between two looks of the main thread, it may take again before the next
// one; so the main thread must get its error that much earlier.
#pragma once

#include <cstdint>

#include "agent/guard/guard_page.h"

namespace holdfast::agent {

// The main thread has looked: `left` bytes are left.
void note_look(GuardState& state, std::uint64_t left, std::int64_t now);

// A request that does not fit and cannot be refused.
void note_let_through(GuardState& state, std::uint64_t bytes, std::int64_t now);

struct UnseenGrowth {
    std::uint64_t largest = 0;
    // The largest alone may be an import, or a buffer that is made once.
    std::uint64_t second = 0;
};
// Between two looks, in the last seconds.
UnseenGrowth unseen_growth(const GuardState& state);

}  // namespace holdfast::agent
