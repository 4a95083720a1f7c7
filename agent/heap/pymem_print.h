// A fingerprint of a small Python object, to notice that its memory is now used by another object.
//
// The interpreter keeps freed tuples, floats and ints in free lists and reuses them as new objects,
// without a call that we could see: one line may keep what another allocated.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Finds the addresses of the types. Asks the loader: not from a hook.
void find_printed_types();

// 0: this kind is not recycled, or not filled in yet. `size` as it was requested.
std::uint16_t object_print(std::uint64_t object, std::size_t size);
// Whether it is another object now; memory that cannot be read counts as such.
bool print_differs(std::uint64_t object, std::uint16_t print);

}  // namespace holdfast::agent
