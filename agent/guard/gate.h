// The guard's gate: decides at a visit whether a request still fits into what is left. Far from the
// limit this takes a few loads; near it, the kernel is asked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

enum class Want : std::uint8_t {
    used,    // malloc and its kind: taken to be touched soon
    zeroed,  // calloc: touched late, sparsely, or never
    grown,   // realloc: `size` is what is added
    arena,   // of Python's own allocator
};

struct Ask {
    std::size_t size = 0;
    Want want = Want::used;
    const void* caller = nullptr;
    std::size_t whole = 0;  // of a realloc, the new size
};

enum class Gate : std::uint8_t {
    open,
    look,  // allocate, then ask gate_after
    shut,  // fail with ENOMEM
};

// `since` is what this thread has taken since its last visit, when the gate was last asked.
Gate gate_before(const Ask& ask, std::uint64_t since);
// True: give the block back and fail.
bool gate_after(const Ask& ask, const void* block);
// The same for a realloc, asked beforehand because a realloc cannot be undone.
bool gate_growth(const Ask& ask, const void* block);

// The gate let this block through. For a large one it matters whether and when it is touched.
void handed_out(const Ask& ask, const void* block);

}  // namespace holdfast::agent
