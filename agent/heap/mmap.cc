// Wraps mmap and its family: anonymous memory that programs map themselves, and the arenas of
// Python's own allocator.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>

#include <cstdint>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/guard/gate.h"
#include "agent/heap/next.h"
#include "agent/heap/pymem.h"
#include "agent/heap/sampling.h"
#include "agent/heap/state.h"
#include "agent/signals/signal_stack.h"

namespace holdfast::agent {
namespace {

constexpr std::size_t least_region = 64U << 10U;

constinit Real<void* (*)(void*, std::size_t, int, int, int, off_t)> real_mmap{"mmap"};
constinit Real<int (*)(void*, std::size_t)> real_munmap{"munmap"};
constinit Real<void* (*)(void*, std::size_t, std::size_t, int, void*)> real_mremap{"mremap"};

std::uint64_t as_number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// Writable memory that nothing else backs. Reservations (PROT_NONE, MAP_NORESERVE) are address
// space, not memory.
bool is_memory(int protection, int flags) {
    return (protection & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE) &&
           (flags & (MAP_ANONYMOUS | MAP_PRIVATE)) == (MAP_ANONYMOUS | MAP_PRIVATE) &&
           (flags & (MAP_NORESERVE | MAP_STACK | MAP_GROWSDOWN)) == 0;
}

// An allocator below us maps what it hands out as blocks.
bool by_allocator(const void* caller) {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    return at >= next.code_begin && at < next.code_end;
}

// False: the guard refuses it.
bool count_mapping(void* at, std::size_t size, int protection, int flags, const void* caller) {
    if (busy || !counting() || may_lack_room()) return true;
    const int error = errno;
    const std::uint64_t begin = as_number(at);
    if ((flags & MAP_FIXED) != 0) uncount_regions(begin, begin + size);
    if (size >= least_region && is_memory(protection, flags) && !by_allocator(caller)) {
        if (is_arena(size, caller)) {
            // Always counted, so it costs no budget; the visit only does what has become due.
            visit(0);
            if (gate_before({size, Want::arena, caller}, 0) == Gate::shut) return false;
            count_arena(begin, size);
        } else if (!spend(size)) {
            if (const std::uint64_t weight = visit(size)) count_region(begin, size, weight);
        }
    }
    errno = error;
    return true;
}

int unmap(void* address, std::size_t size) {
    auto* real = real_munmap();
    return real != nullptr ? real(address, size)
                           : static_cast<int>(::syscall(SYS_munmap, address, size));
}

void* map(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
          const void* caller) {
    auto* real = real_mmap();
    void* at = real != nullptr ? real(address, size, protection, flags, fd, offset)
                               : reinterpret_cast<void*>(::syscall(SYS_mmap, address, size,
                                                                   protection, flags, fd, offset));
    if (at != MAP_FAILED && !count_mapping(at, size, protection, flags, caller)) {
        unmap(at, size);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return at;
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT void* mmap(void* address, std::size_t size, int protection, int flags, int fd,
                           off_t offset) noexcept {
    return map(address, size, protection, flags, fd, offset, __builtin_return_address(0));
}

HOLDFAST_EXPORT void* mmap64(void* address, std::size_t size, int protection, int flags, int fd,
                             off64_t offset) noexcept {
    return map(address, size, protection, flags, fd, offset, __builtin_return_address(0));
}

HOLDFAST_EXPORT int munmap(void* address, std::size_t size) noexcept {
    // Done before the unmap, because another thread may get the same addresses at once. If the
    // kernel refuses, the range was not valid anyway.
    if (!busy && counting()) {
        const int error = errno;
        if (!is_arena_size(size) || !uncount_block(address))
            uncount_regions(as_number(address), as_number(address) + size);
        errno = error;
    }
    return unmap(address, size);
}

HOLDFAST_EXPORT void* mremap(void* address, std::size_t size, std::size_t new_size, int flags,
                             ...) noexcept {
    va_list rest;
    va_start(rest, flags);
    void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
    va_end(rest);
    auto* real = real_mremap();
    void* at = real != nullptr ? real(address, size, new_size, flags, wanted)
                               : reinterpret_cast<void*>(
                                     ::syscall(SYS_mremap, address, size, new_size, flags, wanted));
    if (at != MAP_FAILED && !busy && counting()) {
        const int error = errno;
        if ((flags & MREMAP_FIXED) != 0) uncount_regions(as_number(at), as_number(at) + new_size);
        move_region(as_number(address), size, as_number(at), new_size);
        errno = error;
    }
    return at;
}
