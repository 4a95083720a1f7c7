#include "supervise/memory_reserve.h"

#include <sys/mman.h>

namespace holdfast {
namespace {

constexpr std::size_t size = std::size_t{1} << 20U;
constexpr Bytes plenty = Bytes::mib(32);  // near the edge the reserve itself would be too much

}  // namespace

MemoryReserve::MemoryReserve() {
    void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    pages_ = pages;
    // A helper that is forked meanwhile would share the pages, and then we could not free them.
    ::madvise(pages_, size, MADV_DONTFORK);
    ::madvise(pages_, size, MADV_NOHUGEPAGE);
}

MemoryReserve::~MemoryReserve() {
    if (pages_ != nullptr) ::munmap(pages_, size);
}

void MemoryReserve::refill(std::optional<Bytes> room) {
    if (!held_ && (!room || *room > plenty)) take();
}

void MemoryReserve::give() {
    if (held_) ::madvise(pages_, size, MADV_DONTNEED);
    held_ = false;
}

void MemoryReserve::take() {
    if (pages_ == nullptr) return;
    // A store to each page, so that each is charged now.
    for (std::size_t at = 0; at < size; at += 4096) static_cast<volatile char*>(pages_)[at] = 1;
    held_ = true;
}

}  // namespace holdfast
