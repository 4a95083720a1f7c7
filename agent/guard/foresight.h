// How many pages a request will really add: pages that are there already add none, and lazily used
// pages may never be touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/page.h"

namespace holdfast::agent {

// Bytes of [block, block + size) in pages that are not resident; counting stops beyond `enough`.
std::uint64_t absent_bytes(const void* block, std::size_t size, std::uint64_t enough);

// Remembers what was handed out, for the questions below.
void remember_zeroed(GuardState& state, const void* block, std::size_t size);

// Whether zeroed blocks of about this size were used in full until now, so that another will be,
// too. No history: no, as for a sparse array.
bool zeroed_are_used(GuardState& state, std::size_t size);

}  // namespace holdfast::agent
