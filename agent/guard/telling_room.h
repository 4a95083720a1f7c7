// Memory that a notebook's kernel needs to report a refusal: kept free while a cell runs, released
// at the first refusal, and kept again from the next cell on.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/guard/guard_page.h"

namespace holdfast::agent {

// A cell begins. Keeps less if little memory is left, because this cell may be the one that frees
// some.
void keep_words();

inline std::uint64_t kept_for_words(const GuardState& state) {
    return state.words.load(std::memory_order_relaxed);
}

inline void give_words(GuardState& state) { state.words.store(0, std::memory_order_relaxed); }

}  // namespace holdfast::agent
