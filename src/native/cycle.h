// Recursion in a stack: the stretch of frames that repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace holdfast {

struct FrameCycle {
    std::size_t begin = 0;   // the first frame of the first round
    std::size_t period = 0;  // frames in a round
    std::size_t end = 0;     // behind the last frame that still fits the pattern
};

// The longest stretch in which the same calls repeat at least `least_rounds` times.
std::optional<FrameCycle> find_cycle(std::span<const std::uint64_t> pcs,
                                     std::size_t least_rounds = 4);

}  // namespace holdfast
