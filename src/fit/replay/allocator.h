// torch's CUDACachingAllocator for one stream, as its source describes it: rounding, two pools,
// best fit, splitting, merging, segments, and what it frees before it raises an error.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "fit/replay/allocator_options.h"
#include "fit/replay/free_blocks.h"

namespace holdfast::fit {

struct AllocatorStats {
    Bytes allocated, reserved, requested;  // now
    Bytes peak_allocated, peak_reserved, peak_requested;
    std::uint64_t retries = 0;  // how often cached memory was released to make room
};

class CachingAllocator {
public:
    // `limit`: what all segments together may take; absent: no limit.
    // Best fit breaks ties by address, and each driver chooses addresses in its own way: `order` 0
    // places segments as one driver was seen to, any other number in another order.
    CachingAllocator(const AllocatorOptions& options, std::optional<Bytes> limit,
                     std::uint32_t storages, std::uint32_t order = 0);
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    // False if torch would raise OutOfMemoryError. An empty storage takes nothing.
    bool allocate(std::uint32_t storage, Bytes requested);
    void free(std::uint32_t storage);
    const AllocatorStats& stats() const { return stats_; }

private:
    using State = Block::State;
    static constexpr std::uint32_t none = no_block;

    std::uint64_t rounded(std::uint64_t requested) const;
    std::uint64_t segment_for(std::uint64_t size, bool small) const;
    std::uint32_t best_fit(std::uint64_t size, bool small);
    std::uint64_t address_for(std::uint64_t size);
    std::uint32_t new_segment(std::uint64_t size, bool small);
    std::uint32_t expand(std::uint64_t size, bool small);
    std::uint32_t map_front(std::uint32_t block, std::uint64_t size);
    bool reserve(std::uint64_t size);
    bool release_large_enough(std::uint64_t size);
    void release_cached();
    void give_back(std::uint32_t segment);
    void unmap(std::uint32_t block);
    bool should_split(std::uint64_t left, std::uint64_t size, bool small) const;
    void split(std::uint32_t block, std::uint64_t size, State rest);
    std::uint32_t join(std::uint32_t left, std::uint32_t right);
    void put(std::uint32_t index);
    void take(std::uint32_t index);
    void drop(std::uint32_t block);
    std::uint32_t make(std::uint64_t address, std::uint64_t size, bool small);

    AllocatorOptions options_;
    std::optional<Bytes> limit_;
    AllocatorStats stats_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> unused_;
    FreeBlocks cached_[2] = {FreeBlocks(blocks_), FreeBlocks(blocks_)};
    std::vector<std::uint32_t> used_;        // by storage
    std::uint32_t arena_[2] = {none, none};  // first block of the expandable segment
    std::uint32_t order_;
    std::uint32_t segments_ = 0;
    std::uint64_t next_address_ = std::uint64_t{1} << 40U;
    std::uint64_t top_address_ = std::uint64_t{1} << 56U;
};

}  // namespace holdfast::fit
