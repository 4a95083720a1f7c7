// Memory as the readers of this folder see it: a type with `bool read(std::uintptr_t, void*,
// std::size_t)` that returns false instead of crashing. Offsets are not trusted, so sums may wrap;
// a wrapped address is just another one that cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::frames {

template <class T, class Memory>
[[gnu::always_inline]] inline bool load(Memory& memory, std::uintptr_t at, T& into) {
    return memory.read(at, &into, sizeof(T));
}

// This process's own memory, trusted.
struct TrustedMemory {
    [[gnu::always_inline]] bool read(std::uintptr_t at, void* into, std::size_t size) {
        std::memcpy(into, reinterpret_cast<const void*>(at), size);
        return true;
    }
};

// Keeps the last pieces read from a slow memory. A piece is a power of two, no larger than a page
// and aligned to its size, so it is readable as a whole or not at all. After `most_reads` every
// read fails: a hostile process may have made structures that take for ever to walk.
template <class Source, std::size_t piece, std::size_t count>
class CachedMemory {
    static_assert((piece & (piece - 1)) == 0 && piece <= 4096);

public:
    explicit CachedMemory(Source& source, std::size_t most_reads = SIZE_MAX)
        : source_(source), reads_left_(most_reads) {}
    CachedMemory(const CachedMemory&) = delete;
    CachedMemory& operator=(const CachedMemory&) = delete;

    bool read(std::uintptr_t at, void* into, std::size_t size) {
        if (reads_left_ == 0) return false;
        --reads_left_;
        auto* to = static_cast<unsigned char*>(into);
        while (size > 0) {
            const std::uintptr_t start = at & ~(std::uintptr_t{piece} - 1);
            const unsigned char* held = hold(start);
            if (held == nullptr) return false;
            const std::size_t skip = at - start;
            const std::size_t part = size < piece - skip ? size : piece - skip;
            std::memcpy(to, held + skip, part);
            to += part;
            at += part;
            size -= part;
        }
        return true;
    }

private:
    const unsigned char* hold(std::uintptr_t start) {
        const std::size_t index = (start / piece) % count;
        if (tags_[index] == (start | 1U)) return pieces_[index];
        tags_[index] = 0;
        if (!source_.read(start, pieces_[index], piece)) return nullptr;
        tags_[index] = start | 1U;
        return pieces_[index];
    }

    Source& source_;
    std::size_t reads_left_;
    std::uintptr_t tags_[count] = {};
    unsigned char pieces_[count][piece];
};

}  // namespace holdfast::frames
