// The allocator below us: glibc's, or whichever was preloaded or linked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// From here on a block is always a visit, see heap/sampling.h.
inline constexpr std::size_t large_block = 512U << 10U;

// The function pointers start as bootstraps that look for the real ones, so that the fast path
// needs no test.
struct NextAllocator {
    void* (*malloc)(std::size_t);
    void (*free)(void*);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    // The code of an allocator other than glibc's: its mappings are counted as blocks already.
    std::uintptr_t code_begin, code_end;
};
extern constinit NextAllocator next __attribute__((visibility("hidden")));

void find_next_allocator();

// Blocks handed out while dlsym was looking; never freed. Their pages are marked as counted, so
// that free() looks twice.
bool from_bootstrap(const void* block);
// Bytes from `block` to the end of the bootstrap arena.
std::size_t bootstrap_room(const void* block);

// The loaded object that holds `address`; false when there is none.
bool object_around(const void* address, std::uintptr_t& begin, std::uintptr_t& end);

}  // namespace holdfast::agent
