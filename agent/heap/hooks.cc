// Wraps malloc and its family. The fast path is a subtraction, a branch and a jump; for free() it
// also reads a byte that says whether the page holds anything counted. Blocks stay exactly as the
// allocator below made them.
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>
#include <cerrno>

#include <cstdint>
#include <cstring>

#include "agent/base/export.h"
#include "agent/base/self_memory.h"
#include "agent/guard/gate.h"
#include "agent/heap/next.h"
#include "agent/heap/sampling.h"
#include "agent/heap/state.h"
#include "agent/signals/signal_stack.h"

#define HOLDFAST_RARE __attribute__((noinline, cold))

namespace holdfast::agent {
namespace {

// One visit of the sampling point: how many bytes the block represents, and what the guard decides.
class Visit {
public:
    explicit Visit(const Ask& ask) : ask_(ask) {
        // A visit reads files and frames into arrays on the stack.
        if (may_lack_room()) {
            let_pass();
            return;
        }
        const KeepErrno keep;
        const std::uint64_t since = thread_budget.granted - thread_budget.left;
        weight_ = visit(ask.whole != 0 ? ask.whole : ask.size);
        gate_ = gate_before(ask, since);
    }
    bool refused() const {
        if (gate_ == Gate::shut) errno = ENOMEM;
        return gate_ == Gate::shut;
    }
    // Counts the block; or gives it back and returns null if it would not fit.
    void* keep(void* block) const;
    bool must_look() const { return gate_ == Gate::look; }
    std::uint64_t weight() const { return weight_; }

private:
    Ask ask_;
    std::uint64_t weight_ = 0;
    Gate gate_ = Gate::open;
};

void* counted(void* block, std::size_t size, std::uint64_t weight) {
    if (block == nullptr || weight == 0) return block;
    const KeepErrno keep;
    count_block(block, size, weight);
    return block;
}

void* Visit::keep(void* block) const {
    if (must_look() && gate_after(ask_, block)) {
        next.free(block);
        errno = ENOMEM;
        return nullptr;
    }
    if (block != nullptr && !must_look()) handed_out(ask_, block);
    return counted(block, ask_.size, weight_);
}

HOLDFAST_RARE void* malloc_at_visit(std::size_t size, const void* caller) {
    const Visit visit({size, Want::used, caller});
    return visit.refused() ? nullptr : visit.keep(next.malloc(size));
}

HOLDFAST_RARE void* calloc_at_visit(std::size_t count, std::size_t size, const void* caller) {
    const Visit visit({count * size, Want::zeroed, caller});
    return visit.refused() ? nullptr : visit.keep(next.calloc(count, size));
}

HOLDFAST_RARE void* memalign_at_visit(std::size_t alignment, std::size_t size, const void* caller) {
    const Visit visit({size, Want::used, caller});
    return visit.refused() ? nullptr : visit.keep(next.memalign(alignment, size));
}

HOLDFAST_RARE int posix_memalign_at_visit(void** out, std::size_t alignment, std::size_t size,
                                          const void* caller) {
    const Visit visit({size, Want::used, caller});
    if (visit.refused()) return ENOMEM;
    void* block = nullptr;
    const int error = next.posix_memalign(&block, alignment, size);
    if (error != 0) return error;
    block = visit.keep(block);
    if (block == nullptr) return ENOMEM;
    *out = block;
    return 0;
}

HOLDFAST_RARE void* aligned_alloc_at_visit(std::size_t alignment, std::size_t size,
                                           const void* caller) {
    const Visit visit({size, Want::used, caller});
    return visit.refused() ? nullptr : visit.keep(next.aligned_alloc(alignment, size));
}

void uncount(void* block) {
    const KeepErrno keep;
    uncount_block(block);
}

HOLDFAST_RARE void free_on_counted_page(void* block) {
    if (from_bootstrap(block)) return;
    // Before the block is freed: the next moment another thread may have it, and count it.
    if (may_hold(block)) uncount(block);
    next.free(block);
}

// What a realloc adds. A block that is not from the allocator below would crash in there anyway.
Ask growth_of(void* block, std::size_t size, const void* caller) {
    const std::size_t had = ::malloc_usable_size(block);
    return {size > had ? size - had : 0, Want::grown, caller, size};
}

HOLDFAST_RARE void* realloc_slowly(void* block, std::size_t size, bool covered,
                                   const void* caller) {
    if (from_bootstrap(block)) {
        void* fresh = next.malloc(size);
        const std::size_t room = bootstrap_room(block);
        if (fresh != nullptr) std::memcpy(fresh, block, size < room ? size : room);
        return fresh;
    }
    if (block == nullptr && !covered) return malloc_at_visit(size, caller);
    std::uint64_t weight = 0;
    if (!covered) {
        const Ask ask = growth_of(block, size, caller);
        const Visit visit(ask);
        if (visit.refused()) return nullptr;
        if (visit.must_look() && gate_growth(ask, block)) {
            errno = ENOMEM;
            return nullptr;
        }
        weight = visit.weight();
    }
    SampledBlock before;
    bool was_counted = false;
    if (may_hold(block)) {
        const KeepErrno keep;
        was_counted = uncount_block(block, &before);
    }
    void* moved = next.realloc(block, size);
    if (moved == nullptr && was_counted && size != 0) {
        const KeepErrno keep;
        recount_block(before);
    }
    return counted(moved, size, weight);
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT void* malloc(std::size_t size) noexcept {
    if (!spend(size)) return malloc_at_visit(size, __builtin_return_address(0));
    return next.malloc(size);
}

HOLDFAST_EXPORT void free(void* block) noexcept {
    if (__builtin_expect(page_is_counted(block), 0)) return free_on_counted_page(block);
    next.free(block);
}

HOLDFAST_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (!__builtin_mul_overflow(count, size, &all) && !spend(all))
        return calloc_at_visit(count, size, __builtin_return_address(0));
    return next.calloc(count, size);
}

// All of the new size counts as asked for, as if the old block were freed and a new one made.
HOLDFAST_EXPORT void* realloc(void* block, std::size_t size) noexcept {
    const bool covered = spend(size);
    if (__builtin_expect(!covered || page_is_counted(block), 0))
        return realloc_slowly(block, size, covered, __builtin_return_address(0));
    return next.realloc(block, size);
}

HOLDFAST_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return realloc(block, all);
}

HOLDFAST_EXPORT int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size))
        return posix_memalign_at_visit(out, alignment, size, __builtin_return_address(0));
    return next.posix_memalign(out, alignment, size);
}

HOLDFAST_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size)) return aligned_alloc_at_visit(alignment, size, __builtin_return_address(0));
    return next.aligned_alloc(alignment, size);
}

HOLDFAST_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
    if (!spend(size)) return memalign_at_visit(alignment, size, __builtin_return_address(0));
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
