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

    // Used by FreeBlocks while the block is cached. Kept in the block because each move of a replay
    // touches both.
    std::uint16_t bin = 0;
    std::uint32_t free_previous = no_block, free_next = no_block;
};
static_assert(sizeof(Block) <= 48);

// The cached blocks of one pool, in best fit's order: by size, then by address.
//
// Every move of a replay passes through here, so it must be fast. Blocks of nearly the same size
// share a bin, a bitmap shows which bins are not empty, and a bin is a sorted list linked through
// the blocks. So a search visits only blocks of about the right size, and nothing is allocated. In
// captured steps nine of ten bins are empty when a block is added.
class FreeBlocks {
public:
    // Blocks are identified by their index in `blocks`, which may grow meanwhile.
    explicit FreeBlocks(std::vector<Block>& blocks) : blocks_(blocks) { first_.fill(no_block); }

    void insert(std::uint32_t index);
    void erase(std::uint32_t index);

    // The first block of at least this size, and the next one in the order.
    std::uint32_t first_of(std::uint64_t size) const;
    std::uint32_t after(std::uint32_t index) const;

    std::vector<std::uint32_t> all() const;

private:
    // Sizes are counted in units of 512 bytes. Each size below 64 units has its own bin; above
    // that, every doubling is cut into 32 bins, and the last bin takes whatever is larger than any
    // GPU.
    static constexpr unsigned unit_bits = 9;
    static constexpr unsigned cut_bits = 5;
    static constexpr std::size_t bins = 896;

    static std::uint16_t bin_of(std::uint64_t size);
    static bool before(const Block& a, const Block& b);
    std::uint32_t first_from(std::size_t bin) const;

    std::vector<Block>& blocks_;
    // A list ends with no_block. The first block's free_previous is the last block.
    std::array<std::uint32_t, bins> first_;
    std::array<std::uint64_t, bins / 64> filled_{};  // a bit for each bin
};

}  // namespace holdfast::fit
