#include "agent/guard/foresight.h"

#include <sys/mman.h>
#include <unistd.h>

#include "agent/base/pages.h"

namespace holdfast::agent {
namespace {

std::uint64_t page_size() { return static_cast<std::uint64_t>(::getpagesize()); }

// How many of sixteen pages, spread over the block, are resident; -1 if the block is gone.
int resident_of_sixteen(std::uint64_t begin, std::uint64_t size) {
    const Pages pages = pages_within(begin, size, page_size());
    if (pages.count() < 31) return -1;
    int found = 0;
    for (std::uint64_t i = 0; i < 16; ++i) {
        unsigned char there = 0;
        void* at = reinterpret_cast<void*>(pages.probe(i, 16));
        if (::mincore(at, pages.page, &there) != 0) return -1;
        found += there & 1;
    }
    return found;
}

}  // namespace

std::uint64_t absent_bytes(const void* block, std::size_t size, std::uint64_t enough) {
    constexpr std::size_t at_once = 4096;
    unsigned char there[at_once];
    const std::uint64_t page = page_size();
    const Pages pages = pages_around(reinterpret_cast<std::uintptr_t>(block), size, page);
    const std::uint64_t last = pages.end / page;
    std::uint64_t absent = 0;
    for (std::uint64_t at = pages.begin / page; at < last && absent <= enough;) {
        const std::uint64_t count = last - at < at_once ? last - at : at_once;
        if (::mincore(reinterpret_cast<void*>(at * page), count * page, there) != 0)
            return 0;  // not known: then nothing is refused
        for (std::uint64_t i = 0; i < count; ++i) absent += (there[i] & 1U) != 0 ? 0 : page;
        at += count;
    }
    return absent < size ? absent : size;
}

void remember_zeroed(GuardState& state, const void* block, std::size_t size) {
    const std::uint32_t at =
        state.next_zeroed.fetch_add(1, std::memory_order_relaxed) % GuardState::kept;
    state.zeroed_size[at].store(size, std::memory_order_relaxed);
    state.zeroed[at].store(reinterpret_cast<std::uintptr_t>(block), std::memory_order_release);
}

bool zeroed_are_used(GuardState& state, std::size_t size) {
    int used = 0;
    for (std::uint32_t i = 0; i < GuardState::kept; ++i) {
        const std::uint64_t begin = state.zeroed[i].load(std::memory_order_acquire);
        const std::uint64_t had = state.zeroed_size[i].load(std::memory_order_relaxed);
        if (begin == 0 || had < size / 2 || had / 2 > size) continue;
        const int resident = resident_of_sixteen(begin, had);
        if (resident < 0) continue;
        if (resident < 15) return false;
        ++used;
    }
    return used >= 2;
}

}  // namespace holdfast::agent
