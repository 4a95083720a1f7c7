#include "agent/heap/blocks.h"

#include <sys/mman.h>

#include "agent/base/private_memory.h"

namespace holdfast::agent {
namespace {

// One mapping per size, kept over fork and wiped by it: a child uses them again.
SampledBlock* tables[3];

// Under the heap's lock. Readers without the lock only need to see their own blocks.
void add_one(std::atomic<std::uint8_t>& sharing) {
    const std::uint8_t before = sharing.load(std::memory_order_relaxed);
    if (before < UINT8_MAX)
        sharing.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
}
void take_one(std::atomic<std::uint8_t>& sharing) {
    const std::uint8_t before = sharing.load(std::memory_order_relaxed);
    if (before > 0 && before < UINT8_MAX)
        sharing.store(static_cast<std::uint8_t>(before - 1), std::memory_order_relaxed);
}

}  // namespace

constinit std::atomic<std::uint8_t> counted_pages[page_places]{};

void mark_page_for_good(const void* block) {
    counted_pages[page_place(reinterpret_cast<std::uintptr_t>(block))].store(UINT8_MAX);
}

void forget_counted_pages() {
    // Those that are full may be marked for good.
    for (auto& sharing : counted_pages) {
        const std::uint8_t before = sharing.load(std::memory_order_relaxed);
        if (before != 0 && before != UINT8_MAX) sharing.store(0, std::memory_order_relaxed);
    }
}

bool BlockTable::grow() {
    const std::uint32_t bits = bits_ == 0 ? first_bits : bits_ + growth_bits;
    if (bits > most_bits) return false;
    SampledBlock*& fresh = tables[(bits - first_bits) / growth_bits];
    const std::size_t size = sizeof(SampledBlock) << bits;
    if (fresh == nullptr) fresh = static_cast<SampledBlock*>(wiped_on_fork(size));
    if (fresh == nullptr) return false;
    SampledBlock* old = blocks_;
    const std::uint32_t old_capacity = capacity();
    blocks_ = fresh;
    bits_ = bits;
    for (std::uint32_t i = 0; i < old_capacity; ++i)
        if (old[i].address != 0) put(old[i]);
    if (old != nullptr) ::madvise(old, old_capacity * sizeof(SampledBlock), MADV_DONTNEED);
    return true;
}

void BlockTable::put(const SampledBlock& block) {
    std::uint32_t at = home(block.address);
    while (blocks_[at].address != 0) at = (at + 1) & (capacity() - 1);
    blocks_[at] = block;
}

bool BlockTable::insert(const SampledBlock& block) {
    if (count_ >= capacity() / 4 * 3 && !grow()) return false;
    put(block);
    ++count_;
    add_one(filter_[filter_place(block.address)]);
    add_one(counted_pages[page_place(block.address)]);
    return true;
}

// Linear probing without tombstones: a later entry that may move into the hole does so.
void BlockTable::remove_at(std::uint32_t at) {
    take_one(filter_[filter_place(blocks_[at].address)]);
    take_one(counted_pages[page_place(blocks_[at].address)]);
    const std::uint32_t mask = capacity() - 1;
    std::uint32_t hole = at;
    for (std::uint32_t probe = (at + 1) & mask; blocks_[probe].address != 0;
         probe = (probe + 1) & mask) {
        const std::uint32_t wanted = home(blocks_[probe].address);
        if (((probe - wanted) & mask) >= ((probe - hole) & mask)) {
            blocks_[hole] = blocks_[probe];
            hole = probe;
        }
    }
    blocks_[hole] = SampledBlock{};
    --count_;
}

bool BlockTable::take(std::uint64_t address, SampledBlock& out) {
    if (count_ == 0) return false;
    for (std::uint32_t at = home(address); blocks_[at].address != 0;
         at = (at + 1) & (capacity() - 1)) {
        if (blocks_[at].address != address) continue;
        out = blocks_[at];
        remove_at(at);
        return true;
    }
    return false;
}

}  // namespace holdfast::agent
