#include "loader/order.h"

#include <bit>

namespace holdfast::loader {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

// The finaliser of splitmix64.
constexpr std::uint64_t spread(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t x = spread(a + golden);
    x = spread((x ^ b) + golden);
    return spread((x ^ c) + golden);
}

Order::Order(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffled)
    : count_(count), shuffled_(shuffled && count > 1) {
    // A Feistel cipher over the smallest even number of bits that covers every position. A result
    // beyond the end is enciphered again until it is not (at most 4 times on average).
    const auto bits = static_cast<unsigned>(std::bit_width(count > 1 ? count - 1 : 1));
    half_bits_ = (bits + 1) / 2;
    half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
    for (int i = 0; i < rounds; ++i)
        keys_[i] = mixed(seed, epoch, static_cast<std::uint64_t>(i) + 1);
}

std::uint64_t Order::once(std::uint64_t value) const {
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & half_mask_;
    for (const std::uint64_t key : keys_) {
        const std::uint64_t next = left ^ (spread(right + key) & half_mask_);
        left = right;
        right = next;
    }
    return left << half_bits_ | right;
}

std::uint64_t Order::at(std::uint64_t position) const {
    if (!shuffled_) return position;
    std::uint64_t value = position;
    do value = once(value);
    while (value >= count_);
    return value;
}

SampleRandom::SampleRandom(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index)
    : state_(mixed(seed ^ 0x5a5a5a5a5a5a5a5aU, epoch, index)) {}

std::uint64_t SampleRandom::next() {
    state_ += golden;
    return spread(state_);
}

double SampleRandom::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

}  // namespace holdfast::loader
