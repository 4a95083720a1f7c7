// How many pages a request will really add: resident pages add none, and pages of `calloc` or
// np.empty may never be touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/guard_page.h"

namespace holdfast::agent {

// Bytes of [block, block + size) in pages that are not resident; counting stops beyond `enough`.
std::uint64_t absent_bytes(const void* block, std::size_t size, std::uint64_t enough);

// Remembers what was handed out, for the questions below.
void remember_zeroed(GuardState& state, const void* block, std::size_t size);

// Whether earlier zeroed blocks of about this size were used in full, so that this one will be,
// too. Without history the answer is no, as for a sparse array.
bool zeroed_are_used(GuardState& state, std::size_t size);

}  // namespace holdfast::agent
