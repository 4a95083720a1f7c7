// Which sample comes when: a function of (seed, epoch, number of samples) alone. Nothing is stored,
// so a position anywhere in the epoch costs the same as the first.
#pragma once

#include <cstdint>

namespace holdfast::loader {

// A mix of three words that changes in every bit when one bit of them does.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0);

class Order {
public:
    Order() = default;
    Order(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch, bool shuffled);

    // The sample at a position below `count`.
    std::uint64_t at(std::uint64_t position) const;
    std::uint64_t count() const { return count_; }
    bool shuffled() const { return shuffled_; }

private:
    static constexpr int rounds = 6;
    std::uint64_t once(std::uint64_t value) const;

    std::uint64_t count_ = 0;
    bool shuffled_ = false;
    unsigned half_bits_ = 1;
    std::uint64_t half_mask_ = 1;
    std::uint64_t keys_[rounds] = {};
};

// The random numbers of one sample in one epoch, the same whichever thread draws them, and when.
class SampleRandom {
public:
    SampleRandom(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index);
    std::uint64_t next();
    double uniform();  // in [0, 1)
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

private:
    std::uint64_t state_;
};

}  // namespace holdfast::loader
