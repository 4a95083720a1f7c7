// Blocks, and the cached ones of one pool in best fit's order: by size, then by address.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace holdfast::fit {

// A piece of a segment: in use, cached, or addresses without memory behind them.
inline constexpr std::uint32_t no_block = UINT32_MAX;

struct Block {
    enum class State : std::uint8_t { used, cached, unmapped };

    std::uint64_t address = 0, size = 0, requested = 0;
    std::uint32_t previous = no_block, next = no_block;  // neighbours in the segment
    State state = State::used;
    bool small = false;  // which pool

    // Used by FreeBlocks while the block is cached; stored here, because each move of a replay
    // touches both.
    std::uint16_t bin = 0;
    std::uint32_t free_previous = no_block, free_next = no_block;
};
static_assert(sizeof(Block) <= 48);

// The cached blocks of one pool, in best fit's order: by size, then by address.
//
// Every move of a replay passes through here. Blocks of nearly the same size share a bin, a bitmap
// tells which bins hold any, and a bin is a sorted list through the blocks' own links: nothing is
// searched that is not of about the right size, and nothing is allocated. In captured steps nine
// bins of ten that a block comes to are empty.
class FreeBlocks {
public:
    // Blocks are identified by their index in `blocks`, which may grow meanwhile.
    explicit FreeBlocks(std::vector<Block>& blocks) : blocks_(blocks) { first_.fill(no_block); }

    void insert(std::uint32_t index);
    void erase(std::uint32_t index);

    // The first block that is at least so large, and the one behind it in the order.
    std::uint32_t first_of(std::uint64_t size) const;
    std::uint32_t after(std::uint32_t index) const;

    std::vector<std::uint32_t> all() const;

private:
    // Sizes are counted in 512 bytes. Below 64 of them each has a bin of its own; from there on
    // every doubling is cut into 32, and the last bin takes what is larger than any GPU.
    static constexpr unsigned unit_bits = 9;
    static constexpr unsigned cut_bits = 5;
    static constexpr std::size_t bins = 896;

    static std::uint16_t bin_of(std::uint64_t size);
    static bool before(const Block& a, const Block& b);
    std::uint32_t first_from(std::size_t bin) const;

    std::vector<Block>& blocks_;
    // A list ends with no_block; the first one's free_previous is the last.
    std::array<std::uint32_t, bins> first_;
    std::array<std::uint64_t, bins / 64> filled_{};  // a bit for each bin
};

}  // namespace holdfast::fit
