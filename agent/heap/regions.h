// Anonymous memory that the program mapped itself. Unlike a block, a region may be given back in
// pieces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/blocks.h"

namespace holdfast::agent {

struct Region {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t weight = 0;  // the bytes it stands for
    std::uint16_t site = 0;
    bool touched = false;  // see heap/touched.h

    std::uint64_t size() const { return end - begin; }
};

// Zeroed is empty. Under the heap's lock.
class RegionTable {
public:
    static constexpr std::uint32_t capacity = 1024;

    bool insert(const Region& region) {
        if (count_ == capacity) return false;
        regions_[count_++] = region;
        return true;
    }
    // Removes [begin, end); calls gone(region) for each removed piece, with its share of the
    // weight, and left(region) for each remaining piece.
    template <class Gone, class Left>
    void cut(std::uint64_t begin, std::uint64_t end, Gone gone, Left left) {
        Region rests[2];
        for (std::uint32_t i = 0; i < count_;) {
            const Region whole = regions_[i];
            if (whole.end <= begin || whole.begin >= end) {
                ++i;
                continue;
            }
            regions_[i] = regions_[--count_];
            gone(whole);
            rests[0] = part(whole, whole.begin, begin);
            rests[1] = part(whole, end, whole.end);
            for (const Region& rest : rests)
                if (rest.size() > 0 && insert(rest)) left(rest);
        }
    }
    template <class Visit>
    void each(Visit visit) {
        for (std::uint32_t i = 0; i < count_; ++i) visit(regions_[i]);
    }
    std::uint32_t count() const { return count_; }

private:
    static Region part(const Region& whole, std::uint64_t begin, std::uint64_t end) {
        if (begin >= end) return {};
        const double share = static_cast<double>(end - begin) / static_cast<double>(whole.size());
        const auto weight = static_cast<std::uint64_t>(static_cast<double>(whole.weight) * share);
        return {begin, end, weight, whole.site, whole.touched};
    }

    std::uint32_t count_;
    Region regions_[capacity];
};

// All that is counted.
struct Holdings {
    BlockTable blocks;
    RegionTable regions;
};

}  // namespace holdfast::agent
