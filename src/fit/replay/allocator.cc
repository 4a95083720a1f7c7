#include "fit/replay/allocator.h"

#include <algorithm>
#include <bit>

namespace holdfast::fit {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t smallest_block = 512;
constexpr std::uint64_t small_limit = mib;  // larger requests go to the large pool
constexpr std::uint64_t small_segment = 2 * mib;
constexpr std::uint64_t usual_segment = 20 * mib;
constexpr std::uint64_t own_segment = 10 * mib;  // from here on, a segment of the request's size
constexpr std::uint64_t segment_multiple = 2 * mib;
constexpr std::uint64_t oversize_slack = 20 * mib;
constexpr std::uint64_t arena_size = std::uint64_t{1} << 44U;  // addresses cost nothing

std::uint64_t up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

CachingAllocator::CachingAllocator(const AllocatorOptions& options, std::optional<Bytes> limit,
                                   std::uint32_t storages, std::uint32_t order)
    : options_(options), limit_(limit), used_(storages, none), order_(order) {
    blocks_.reserve(1024);
}

std::uint64_t CachingAllocator::rounded(std::uint64_t requested) const {
    if (requested < smallest_block) return smallest_block;
    const auto& table = options_.roundup_divisions;
    if (!table.empty()) {
        const auto power = static_cast<std::size_t>(std::bit_width(requested) - 1);
        const std::size_t index = power < 20 ? 0 : std::min(power - 20, table.size() - 1);
        const std::uint64_t divisions = table[index];
        if (divisions > 1 && requested > smallest_block * divisions) {
            if (std::has_single_bit(requested)) return requested;
            const std::uint64_t floor = std::bit_floor(requested);
            return up(requested, floor / divisions);
        }
    }
    return up(requested, smallest_block);
}

std::uint64_t CachingAllocator::segment_for(std::uint64_t size, bool small) const {
    if (small) return small_segment;
    return size < own_segment ? options_.large_segment.count : up(size, segment_multiple);
}

std::uint32_t CachingAllocator::make(std::uint64_t address, std::uint64_t size, bool small) {
    if (unused_.empty()) {
        blocks_.emplace_back();
        unused_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
    }
    const std::uint32_t index = unused_.back();
    unused_.pop_back();
    // Assigns field by field: copying a whole Block would stall on its own narrow stores.
    Block& block = blocks_[index];
    block.address = address;
    block.size = size;
    block.requested = 0;
    block.previous = block.next = none;
    block.state = State::used;
    block.small = small;
    return index;
}

void CachingAllocator::drop(std::uint32_t block) { unused_.push_back(block); }

void CachingAllocator::put(std::uint32_t index) {
    Block& block = blocks_[index];
    block.state = State::cached;
    cached_[block.small ? 1 : 0].insert(index);
}

void CachingAllocator::take(std::uint32_t index) {
    cached_[blocks_[index].small ? 1 : 0].erase(index);
}

std::uint32_t CachingAllocator::best_fit(std::uint64_t size, bool small) {
    const FreeBlocks& pool = cached_[small ? 1 : 0];
    std::uint32_t found = pool.first_of(size);
    if (found == none) return none;
    if (options_.expandable_segments) {
        // A block that can still grow counts as large as it can become, so others are preferred.
        const auto reach = [&](std::uint32_t block) {
            const std::uint32_t next = blocks_[block].next;
            return blocks_[block].size + (next != none && blocks_[next].state == State::unmapped
                                              ? blocks_[next].size
                                              : 0);
        };
        for (std::uint32_t next = pool.after(found); next != none && reach(next) < reach(found);
             next = pool.after(next))
            found = next;
    } else if (options_.max_split_size && !small) {
        const std::uint64_t limit = options_.max_split_size->count;
        if (size < limit && blocks_[found].size >= limit) return none;
        if (size >= limit && blocks_[found].size >= size + oversize_slack) return none;
    }
    take(found);
    return found;
}

bool CachingAllocator::reserve(std::uint64_t size) {
    if (limit_ && stats_.reserved.count + size > limit_->count) return false;
    stats_.reserved.count += size;
    stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
    return true;
}

std::uint64_t CachingAllocator::address_for(std::uint64_t size) {
    if (order_ == 0) {
        // As the driver was seen to place them: up to the usual segment's size one behind the
        // other, each larger one below the last, above all of those.
        if (size <= usual_segment) {
            const std::uint64_t address = next_address_;
            next_address_ += size + segment_multiple;
            return address;
        }
        top_address_ -= size + segment_multiple;
        return top_address_;
    }
    // Scatters segments by a hash (splitmix64); the segment's number keeps their addresses apart.
    std::uint64_t hash = (std::uint64_t{order_} << 32U | ++segments_) * 0x9E3779B97F4A7C15;
    hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9;
    hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EB;
    hash ^= hash >> 31U;
    return ((hash & 0xFFFU) + 1) << 48U | std::uint64_t{segments_ & 0x3FFFU} << 34U;
}

std::uint32_t CachingAllocator::new_segment(std::uint64_t size, bool small) {
    if (options_.expandable_segments) return expand(size, small);
    const std::uint64_t segment = segment_for(size, small);
    if (!reserve(segment)) return none;
    return make(address_for(segment), segment, small);
}

std::uint32_t CachingAllocator::expand(std::uint64_t size, bool small) {
    std::uint32_t& arena = arena_[small ? 1 : 0];
    if (arena == none) {
        arena = make(next_address_, arena_size, small);
        blocks_[arena].state = State::unmapped;
        next_address_ += 2 * arena_size;
    }
    for (std::uint32_t at = arena; at != none; at = blocks_[at].next) {
        if (blocks_[at].state != State::unmapped) continue;
        const std::uint32_t before = blocks_[at].previous;
        const std::uint32_t first =
            before != none && blocks_[before].state == State::cached ? before : at;
        std::uint64_t room = 0;
        for (std::uint32_t part = first; part != none && room < size; part = blocks_[part].next) {
            if (blocks_[part].state == State::used) break;
            room += blocks_[part].size;
        }
        if (room < size) continue;
        std::uint32_t block = first;
        if (blocks_[block].state == State::cached) {
            take(block);
        } else {
            block = map_front(block, size);
            if (block == none) return none;
        }
        blocks_[block].state = State::used;
        while (blocks_[block].size < size) {
            std::uint32_t next = blocks_[block].next;
            if (blocks_[next].state == State::cached) {
                take(next);
            } else {
                next = map_front(next, size - blocks_[block].size);
                if (next == none) {
                    put(block);
                    return none;
                }
            }
            block = join(block, next);
        }
        return block;
    }
    return none;
}

// Maps the first `size` bytes of an unmapped block, in whole granules.
std::uint32_t CachingAllocator::map_front(std::uint32_t block, std::uint64_t size) {
    const std::uint64_t granule =
        blocks_[block].small ? small_segment : options_.large_segment.count;
    const std::uint64_t mapped = std::min(up(size, granule), blocks_[block].size);
    if (!reserve(mapped)) return none;
    if (mapped < blocks_[block].size) split(block, mapped, State::unmapped);
    blocks_[block].state = State::used;
    return block;
}

bool CachingAllocator::should_split(std::uint64_t left, std::uint64_t size, bool small) const {
    if (small || options_.expandable_segments) return left >= smallest_block;
    if (options_.max_split_size && size >= options_.max_split_size->count) return false;
    return left > small_limit;
}

void CachingAllocator::split(std::uint32_t block, std::uint64_t size, State rest) {
    const std::uint32_t index =
        make(blocks_[block].address + size, blocks_[block].size - size, blocks_[block].small);
    Block& left = blocks_[block];
    Block& right = blocks_[index];
    right.previous = block;
    right.next = left.next;
    right.state = rest;
    if (left.next != none) blocks_[left.next].previous = index;
    left.next = index;
    left.size = size;
    if (rest == State::cached) put(index);
}

std::uint32_t CachingAllocator::join(std::uint32_t left, std::uint32_t right) {
    blocks_[left].size += blocks_[right].size;
    blocks_[left].next = blocks_[right].next;
    if (blocks_[right].next != none) blocks_[blocks_[right].next].previous = left;
    drop(right);
    return left;
}

bool CachingAllocator::allocate(std::uint32_t storage, Bytes requested) {
    if (requested.count == 0) return true;
    const std::uint64_t size = rounded(requested.count);
    const bool small = size <= small_limit;
    std::uint32_t block = best_fit(size, small);
    if (block == none) block = new_segment(size, small);
    if (block == none && release_large_enough(size)) block = new_segment(size, small);
    if (block == none) {
        ++stats_.retries;
        release_cached();
        block = new_segment(size, small);
    }
    if (block == none) return false;
    blocks_[block].state = State::used;
    if (should_split(blocks_[block].size - size, size, small)) split(block, size, State::cached);
    blocks_[block].requested = requested.count;
    used_[storage] = block;
    stats_.allocated.count += blocks_[block].size;
    stats_.requested += requested;
    stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
    stats_.peak_requested = std::max(stats_.peak_requested, stats_.requested);
    return true;
}

void CachingAllocator::free(std::uint32_t storage) {
    std::uint32_t block = used_[storage];
    if (block == none) return;
    used_[storage] = none;
    stats_.allocated.count -= blocks_[block].size;
    stats_.requested.count -= blocks_[block].requested;
    blocks_[block].requested = 0;
    const std::uint32_t before = blocks_[block].previous;
    if (before != none && blocks_[before].state == State::cached) {
        take(before);
        block = join(before, block);
    }
    const std::uint32_t after = blocks_[block].next;
    if (after != none && blocks_[after].state == State::cached) {
        take(after);
        block = join(block, after);
    }
    put(block);
}

// With max_split_size, whole oversize blocks go first: one that is enough, else several.
bool CachingAllocator::release_large_enough(std::uint64_t size) {
    if (!options_.max_split_size || options_.expandable_segments) return false;
    const std::uint64_t least = std::max(size, options_.max_split_size->count);
    const std::vector<std::uint32_t> pool = cached_[0].all();
    const auto size_of = [&](std::uint32_t block) { return blocks_[block].size; };
    const auto whole = [&](std::uint32_t block) {
        return blocks_[block].previous == none && blocks_[block].next == none;
    };
    auto found = std::ranges::lower_bound(pool, least, {}, size_of);
    while (found != pool.end() && !whole(*found)) ++found;
    if (found != pool.end()) {
        give_back(*found);
        return true;
    }
    std::uint64_t freed = 0;
    for (auto at = pool.rbegin(); at != pool.rend() && freed < size; ++at) {
        if (size_of(*at) < options_.max_split_size->count) break;
        if (!whole(*at)) continue;
        freed += size_of(*at);
        give_back(*at);
    }
    return freed >= size;
}

void CachingAllocator::give_back(std::uint32_t segment) {
    take(segment);
    stats_.reserved.count -= blocks_[segment].size;
    drop(segment);
}

void CachingAllocator::release_cached() {
    for (const FreeBlocks& pool : cached_) {
        for (const std::uint32_t index : pool.all()) {
            const Block& block = blocks_[index];
            if (options_.expandable_segments)
                unmap(index);
            else if (block.previous == none && block.next == none)
                give_back(index);
        }
    }
}

// Gives back the whole granules inside a cached block of an expandable segment.
void CachingAllocator::unmap(std::uint32_t block) {
    const std::uint64_t granule =
        blocks_[block].small ? small_segment : options_.large_segment.count;
    const std::uint64_t base = blocks_[arena_[blocks_[block].small ? 1 : 0]].address;
    const std::uint64_t begin = base + up(blocks_[block].address - base, granule);
    const std::uint64_t end =
        base + (blocks_[block].address + blocks_[block].size - base) / granule * granule;
    if (begin >= end) return;
    take(block);
    blocks_[block].state = State::used;
    if (blocks_[block].address + blocks_[block].size > end)
        split(block, end - blocks_[block].address, State::cached);
    std::uint32_t middle = block;
    if (blocks_[block].address < begin) {
        split(block, begin - blocks_[block].address, State::used);
        middle = blocks_[block].next;
        put(block);
    }
    stats_.reserved.count -= end - begin;
    blocks_[middle].state = State::unmapped;
    const std::uint32_t after = blocks_[middle].next;
    if (after != none && blocks_[after].state == State::unmapped) join(middle, after);
    const std::uint32_t before = blocks_[middle].previous;
    if (before != none && blocks_[before].state == State::unmapped) join(before, middle);
}

}  // namespace holdfast::fit
