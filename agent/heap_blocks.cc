#include "agent/heap_blocks.h"

#include <sys/mman.h>

#include "agent/private_memory.h"

namespace holdfast::agent {
namespace {

// One mapping per size, kept over fork and wiped by it: a child uses them again.
Block* tables[3];

}  // namespace

bool BlockTable::grow() {
    const std::uint32_t bits = bits_ == 0 ? first_bits : bits_ + growth_bits;
    if (bits > most_bits) return false;
    Block*& fresh = tables[(bits - first_bits) / growth_bits];
    const std::size_t size = sizeof(Block) << bits;
    if (fresh == nullptr) fresh = static_cast<Block*>(wiped_on_fork(size));
    if (fresh == nullptr) return false;
    Block* old = blocks_;
    const std::uint32_t old_capacity = capacity();
    blocks_ = fresh;
    bits_ = bits;
    for (std::uint32_t i = 0; i < old_capacity; ++i)
        if (old[i].address != 0) put(old[i]);
    if (old != nullptr) ::madvise(old, old_capacity * sizeof(Block), MADV_DONTNEED);
    return true;
}

void BlockTable::put(const Block& block) {
    std::uint32_t at = home(block.address);
    while (blocks_[at].address != 0) at = (at + 1) & (capacity() - 1);
    blocks_[at] = block;
}

bool BlockTable::insert(const Block& block) {
    if (count_ >= capacity() / 4 * 3 && !grow()) return false;
    put(block);
    ++count_;
    return true;
}

// Linear probing without gravestones: whoever may move up into the hole does.
void BlockTable::remove_at(std::uint32_t at) {
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
    blocks_[hole] = Block{};
    --count_;
}

bool BlockTable::take(std::uint64_t address, Block& out) {
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
