// Batches of samples that differ in length: a table of extents, then the bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "loader/source.h"

namespace holdfast::loader {

// Writes the samples of a whole batch one behind the other; one worker fills the batch.
class RaggedBatch {
public:
    explicit RaggedBatch(const Part& part)
        : part_(part), at_(part.samples.size() * sizeof(Extent)) {}

    // Room for the next sample; the batch is large enough for the longest samples.
    std::span<std::byte> add(std::uint64_t length) {
        const std::uint64_t fits = at_ + length <= part_.capacity ? length : 0;
        const Extent extent{at_, fits};
        std::memcpy(part_.batch + row_++ * sizeof extent, &extent, sizeof extent);
        at_ += fits;
        return {part_.batch + extent.offset, static_cast<std::size_t>(fits)};
    }

private:
    const Part& part_;
    std::uint64_t at_;
    std::uint64_t row_ = 0;
};

// The sum of the few largest of many numbers.
class LongestFew {
public:
    explicit LongestFew(std::uint64_t few) : few_(std::max<std::uint64_t>(few, 1)) {}
    void add(std::uint64_t length) {
        if (heap_.size() == few_ && length <= heap_.front()) return;
        if (heap_.size() == few_) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.pop_back();
        }
        heap_.push_back(length);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    std::uint64_t sum() const {
        return std::accumulate(heap_.begin(), heap_.end(), std::uint64_t{0});
    }

private:
    std::uint64_t few_;
    std::vector<std::uint64_t> heap_;
};

}  // namespace holdfast::loader
