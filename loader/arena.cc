#include "loader/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::loader {

Arena& Arena::operator=(Arena&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    std::swap(used_, other.used_);
    std::swap(owned_, other.owned_);
    std::swap(fd_, other.fd_);
    return *this;
}

Arena::~Arena() {
    if (owned_) ::munmap(base_, size_);
}

Result<Arena> Arena::make(Bytes budget, bool shared) {
    Arena arena;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (shared) {
        // By number: older C libraries have no name for it.
        arena.fd_.reset(static_cast<int>(::syscall(SYS_memfd_create, "holdfast-loader", 1U)));
        if (!arena.fd_) return Error::from_errno("shared memory for the loader's processes");
        if (::ftruncate(arena.fd_.get(), static_cast<off_t>(budget.count)) != 0)
            return Error::from_errno("shared memory of " + human(budget));
        flags = MAP_SHARED | MAP_NORESERVE;
    }
    void* at = ::mmap(nullptr, budget.count, PROT_READ | PROT_WRITE, flags, arena.fd_.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("an arena of " + human(budget));
    arena.base_ = static_cast<std::byte*>(at);
    arena.size_ = budget.count;
    arena.owned_ = true;
    if (::madvise(at, budget.count, MADV_DONTFORK) != 0)
        return Error::from_errno("keeping the arena out of forked processes");
    return arena;
}

Arena Arena::inside(std::span<std::byte> part) {
    Arena arena;
    arena.base_ = part.data();
    arena.size_ = part.size();
    return arena;
}

std::span<std::byte> Arena::reserve(std::uint64_t size, std::size_t alignment) {
    const std::uint64_t start = rounded_up(used_, alignment);
    if (start > size_ || size > size_ - start) return {};
    used_ = start + size;
    return {base_ + start, size};
}

void Arena::shrink_last(std::span<std::byte> last, std::uint64_t size) {
    const auto end = static_cast<std::uint64_t>(last.data() + last.size() - base_);
    if (end == used_ && size <= last.size()) used_ -= last.size() - size;
}

}  // namespace holdfast::loader
