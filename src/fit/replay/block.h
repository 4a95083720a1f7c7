// A piece of a segment: in use, cached, or addresses without memory behind them.
#pragma once

#include <cstdint>

namespace holdfast::fit {

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

}  // namespace holdfast::fit
