// Randomness for sampling: random bits, and the distance from one sample to the next.
#pragma once

#include <cstdint>

namespace holdfast::agent {

// xorshift64*: `state` must not be zero.
inline std::uint64_t random_bits(std::uint64_t& state) {
    state ^= state >> 12U;
    state ^= state << 25U;
    state ^= state >> 27U;
    return state * 0x2545F4914F6CDD1DULL;
}

// Uniform in [0, bound).
inline std::uint64_t random_below(std::uint64_t& state, std::uint64_t bound) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<std::uint64_t>((static_cast<Wide>(random_bits(state)) * bound) >> 64U);
}

// Sampling points are `mean` bytes apart, plus or minus a half. This is as good as exponential
// distances (each point stands for `mean` bytes whatever block it falls into, and no rhythm of the
// program can hide from it), and far more exact for a line that asks for most of the bytes.
inline std::uint64_t sampling_distance(std::uint64_t& state, std::uint64_t mean) {
    return mean / 2 + 1 + random_below(state, mean);
}

}  // namespace holdfast::agent
