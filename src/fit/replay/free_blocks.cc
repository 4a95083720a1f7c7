#include "fit/replay/free_blocks.h"

#include <algorithm>
#include <bit>

namespace holdfast::fit {

std::uint16_t FreeBlocks::bin_of(std::uint64_t size) {
    const std::uint64_t units = size >> unit_bits;
    const auto width = static_cast<unsigned>(std::bit_width(units));
    const std::uint64_t doublings = width > cut_bits + 1 ? width - cut_bits - 1 : 0;
    const std::uint64_t bin = (doublings << cut_bits) + (units >> doublings);
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(bin, bins - 1));
}

bool FreeBlocks::before(const Block& a, const Block& b) {
    return a.size != b.size ? a.size < b.size : a.address < b.address;
}

std::uint32_t FreeBlocks::first_from(std::size_t bin) const {
    if (bin >= bins) return no_block;
    std::size_t word = bin / 64;
    std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (bin % 64));
    while (bits == 0) {
        if (++word == filled_.size()) return no_block;
        bits = filled_[word];
    }
    return first_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
}

void FreeBlocks::insert(std::uint32_t index) {
    Block& block = blocks_[index];
    block.bin = bin_of(block.size);
    block.free_next = no_block;
    std::uint32_t& first = first_[block.bin];
    if (first == no_block) {
        filled_[block.bin / 64U] |= std::uint64_t{1} << (block.bin % 64U);
        block.free_previous = first = index;
        return;
    }
    std::uint32_t& last = blocks_[first].free_previous;
    if (before(blocks_[last], block)) {  // the usual case: blocks tend to come in order of address
        block.free_previous = last;
        blocks_[last].free_next = index;
        last = index;
        return;
    }
    std::uint32_t next = first;
    while (before(blocks_[next], block)) next = blocks_[next].free_next;
    block.free_next = next;
    block.free_previous = blocks_[next].free_previous;
    blocks_[next].free_previous = index;
    if (next == first)
        first = index;
    else
        blocks_[block.free_previous].free_next = index;
}

void FreeBlocks::erase(std::uint32_t index) {
    const Block& block = blocks_[index];
    std::uint32_t& first = first_[block.bin];
    blocks_[block.free_next != no_block ? block.free_next : first].free_previous =
        block.free_previous;
    if (index != first) {
        blocks_[block.free_previous].free_next = block.free_next;
        return;
    }
    first = block.free_next;
    if (first == no_block) filled_[block.bin / 64U] &= ~(std::uint64_t{1} << (block.bin % 64U));
}

std::uint32_t FreeBlocks::first_of(std::uint64_t size) const {
    const std::size_t bin = bin_of(size);
    for (std::uint32_t at = first_[bin]; at != no_block; at = blocks_[at].free_next)
        if (blocks_[at].size >= size) return at;
    return first_from(bin + 1);
}

std::uint32_t FreeBlocks::after(std::uint32_t index) const {
    const Block& block = blocks_[index];
    return block.free_next != no_block ? block.free_next : first_from(block.bin + 1U);
}

std::vector<std::uint32_t> FreeBlocks::all() const {
    std::vector<std::uint32_t> indices;
    for (std::uint32_t at = first_from(0); at != no_block; at = after(at)) indices.push_back(at);
    return indices;
}

}  // namespace holdfast::fit
