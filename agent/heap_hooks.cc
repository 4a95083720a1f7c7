// In front of malloc and its family. The fast path is a subtraction, a branch and a jump; see
// heap_sampling.h for who takes the other one.
#include <cerrno>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "agent/export.h"
#include "agent/heap_next.h"
#include "agent/heap_sampling.h"
#include "agent/heap_state.h"

// The word before a block belongs to the allocator: no sanitizer may object to our reading it.
#define HOLDFAST_READS_CHUNK __attribute__((no_sanitize("address", "thread")))
#define HOLDFAST_RARE __attribute__((noinline, cold))

namespace holdfast::agent {
namespace {

static_assert(sizeof(void*) == 8, "the size word is where 64-bit glibc has it");

class KeepErrno {
public:
    KeepErrno() : was_(errno) {}
    ~KeepErrno() { errno = was_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    int was_;
};

bool is_marked(const void* block) {
    return (reinterpret_cast<std::uintptr_t>(block) & (mark_alignment - 1)) == 0;
}

// Whether free() might have to look this one up. Null says yes. A block that is not page aligned
// has the word before it on its own page, whatever the allocator.
HOLDFAST_READS_CHUNK inline bool may_be_counted(const void* block) {
    if (is_marked(block)) return true;
    std::uint64_t word = 0;
    __builtin_memcpy(&word, static_cast<const char*>(block) - 8, sizeof word);
    return word >= next.large_word;
}

bool found_by_size(std::size_t size) { return size >= next.large_word; }

std::uint64_t ask(std::size_t size) {
    const KeepErrno keep;
    return visit(size);
}

void* counted(void* block, std::size_t size, std::uint64_t weight) {
    if (block == nullptr || weight == 0) return block;
    const KeepErrno keep;
    if (may_be_counted(block)) count_block(block, size, weight);
    return block;
}

HOLDFAST_RARE void* malloc_at_visit(std::size_t size) {
    const std::uint64_t weight = ask(size);
    if (weight == 0 || found_by_size(size)) return counted(next.malloc(size), size, weight);
    void* block = next.memalign(mark_alignment, size);
    return block != nullptr ? counted(block, size, weight) : next.malloc(size);
}

HOLDFAST_RARE void* calloc_at_visit(std::size_t count, std::size_t size) {
    const std::size_t all = count * size;
    const std::uint64_t weight = ask(all);
    if (weight != 0 && all < large_block) {
        if (void* block = next.memalign(mark_alignment, all))
            return counted(std::memset(block, 0, all), all, weight);
    } else if (weight != 0 && next.mallocx != nullptr) {
        // Never memalign and memset for a large one: it would touch every page. jemalloc knows how.
        constexpr int aligned_and_zero = 12 | 0x40;
        if (void* block = next.mallocx(all, aligned_and_zero)) return counted(block, all, weight);
    }
    return counted(next.calloc(count, size), all, weight);
}

HOLDFAST_RARE void* memalign_at_visit(std::size_t alignment, std::size_t size) {
    const std::uint64_t weight = ask(size);
    const bool mark = weight != 0 && !found_by_size(size) && alignment < mark_alignment;
    return counted(next.memalign(mark ? mark_alignment : alignment, size), size, weight);
}

HOLDFAST_RARE int posix_memalign_at_visit(void** out, std::size_t alignment, std::size_t size) {
    const std::uint64_t weight = ask(size);
    // A bad alignment must fail as it would without us.
    const bool sound = alignment >= sizeof(void*) && (alignment & (alignment - 1)) == 0;
    const bool mark = weight != 0 && !found_by_size(size) && alignment < mark_alignment && sound;
    const int error = next.posix_memalign(out, mark ? mark_alignment : alignment, size);
    if (error == 0) counted(*out, size, weight);
    return error;
}

HOLDFAST_RARE void* aligned_alloc_at_visit(std::size_t alignment, std::size_t size) {
    const std::uint64_t weight = ask(size);
    // Some allocators want the size to be a multiple of the alignment, so do not raise it here.
    if (weight != 0 && !found_by_size(size) && alignment < mark_alignment && alignment != 0 &&
        (alignment & (alignment - 1)) == 0)
        return counted(next.memalign(mark_alignment, size), size, weight);
    return counted(next.aligned_alloc(alignment, size), size, weight);
}

HOLDFAST_RARE void free_if_counted(void* block) {
    if (block == nullptr || from_bootstrap(block)) return;
    {
        const KeepErrno keep;
        uncount_block(block);
    }
    next.free(block);
}

// A sampled block must be one that free() looks up. Moving costs a copy, once per sample.
void* marked_copy(void* block, std::size_t size) {
    void* copy = next.memalign(mark_alignment, size);
    if (copy == nullptr) return block;
    std::memcpy(copy, block, size);
    next.free(block);
    return copy;
}

HOLDFAST_RARE void* realloc_slowly(void* block, std::size_t size, bool covered) {
    if (from_bootstrap(block)) {
        void* fresh = next.malloc(size);
        const std::size_t room = bootstrap_room(block);
        if (fresh != nullptr) std::memcpy(fresh, block, size < room ? size : room);
        return fresh;
    }
    const std::uint64_t weight = covered ? 0 : ask(size);
    Block before;
    bool was_counted = false;
    if (block != nullptr && may_be_counted(block)) {
        const KeepErrno keep;
        was_counted = uncount_block(block, &before);
    }
    void* moved = nullptr;
    if (weight != 0 && size >= large_block && next.rallocx != nullptr && block != nullptr) {
        constexpr int aligned = 12;
        moved = next.rallocx(block, size, aligned);
        if (moved == nullptr) errno = ENOMEM;
    } else {
        moved = next.realloc(block, size);
    }
    if (moved == nullptr) {
        const KeepErrno keep;
        if (was_counted && size != 0) recount_block(before);
        return nullptr;
    }
    if (weight != 0 && !may_be_counted(moved) && size < large_block)
        moved = marked_copy(moved, size);
    return counted(moved, size, weight);
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT void* malloc(std::size_t size) noexcept {
    if (!spend(size)) return malloc_at_visit(size);
    return next.malloc(size);
}

HOLDFAST_EXPORT HOLDFAST_READS_CHUNK void free(void* block) noexcept {
    if (__builtin_expect(may_be_counted(block), 0)) return free_if_counted(block);
    next.free(block);
}

HOLDFAST_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (!__builtin_mul_overflow(count, size, &all) && !spend(all))
        return calloc_at_visit(count, size);
    return next.calloc(count, size);
}

HOLDFAST_EXPORT HOLDFAST_READS_CHUNK void* realloc(void* block, std::size_t size) noexcept {
    const bool covered = spend(size);
    if (__builtin_expect(!covered || may_be_counted(block), 0))
        return realloc_slowly(block, size, covered);
    return next.realloc(block, size);
}

HOLDFAST_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    const bool covered = spend(all);
    if (!covered || may_be_counted(block)) return realloc_slowly(block, all, covered);
    return next.realloc(block, all);
}

HOLDFAST_EXPORT int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size)) return posix_memalign_at_visit(out, alignment, size);
    return next.posix_memalign(out, alignment, size);
}

HOLDFAST_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size)) return aligned_alloc_at_visit(alignment, size);
    return next.aligned_alloc(alignment, size);
}

HOLDFAST_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size)) return memalign_at_visit(alignment, size);
    return next.memalign(alignment, size);
}

HOLDFAST_EXPORT void* valloc(std::size_t size) noexcept {
    return memalign(static_cast<std::size_t>(::getpagesize()), size);
}

HOLDFAST_EXPORT void* pvalloc(std::size_t size) noexcept {
    const auto page = static_cast<std::size_t>(::getpagesize());
    if (size > SIZE_MAX - page) {
        errno = ENOMEM;
        return nullptr;
    }
    return memalign(page, (size + page - 1) & ~(page - 1));
}
