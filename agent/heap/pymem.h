// Python's own allocator: which mappings are its arenas, and, while those grow, which lines ask for
// the small objects that stay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/agent_format.h"

namespace holdfast::agent {

struct HeapState;

// Where the interpreter's code lies, once it is loaded. Asks the loader: not from a hook.
void find_python_allocator();

// An arena is 1 MiB, before 3.10 256 KiB.
inline bool is_arena_size(std::size_t size) { return size == 1U << 20U || size == 256U << 10U; }
bool is_arena(std::size_t size, const void* caller);

// An arena was charged to the line that asked for it, `asker`. Under the heap's lock.
void arena_counted(HeapState& heap, format::AgentMemory& memory, std::uint64_t address,
                   std::uint64_t size, std::uint16_t asker);

}  // namespace holdfast::agent
