// Python's own allocator: which mappings are its arenas, and, while those grow, which lines ask for
// the small objects that stay.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Where the interpreter's code lies, once it is loaded. Asks the loader: not from a hook.
void find_python_allocator();

// An arena is 1 MiB, before 3.10 256 KiB.
inline bool is_arena_size(std::size_t size) { return size == 1U << 20U || size == 256U << 10U; }
bool is_arena(std::size_t size, const void* caller);

}  // namespace holdfast::agent
