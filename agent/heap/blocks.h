// The blocks that are counted, by address: an open-addressed table of bounded size, under the
// heap's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

struct SampledBlock {
    std::uint64_t address = 0;  // 0: empty
    std::uint64_t weight = 0;   // the bytes it stands for
    std::uint64_t size_and_site = 0;

    std::uint64_t size() const { return size_and_site & ((1ULL << 48U) - 1); }
    std::uint16_t site() const {
        return static_cast<std::uint16_t>((size_and_site >> 48U) & 0x3FFFU);
    }
    bool arena() const { return (size_and_site >> 62U & 1U) != 0; }
    bool touched() const { return size_and_site >> 63U != 0; }  // see heap/touched.h
    void set_touched() { size_and_site |= 1ULL << 63U; }
};
inline SampledBlock make_block(std::uint64_t address, std::uint64_t size, std::uint64_t weight,
                               std::uint16_t site, bool arena) {
    return {address, weight,
            (size & ((1ULL << 48U) - 1)) | static_cast<std::uint64_t>(site) << 48U |
                static_cast<std::uint64_t>(arena) << 62U};
}

// Which pages hold the beginning of a counted block. Every free() asks this first, so it must cost
// next to nothing: one byte a page, by the low bits of the page's number, so that the pages in
// frequent use share a few cache lines. The byte counts the blocks; a full byte stays full. A
// forked child inherits this, and may then get a yes too often.
inline constexpr std::size_t page_places = 1U << 16U;
extern constinit std::atomic<std::uint8_t> counted_pages[page_places]
    __attribute__((visibility("hidden")));
inline std::size_t page_place(std::uint64_t address) {
    return (address >> 12U) & (page_places - 1);
}
inline bool page_is_counted(const void* block) {
    return counted_pages[page_place(reinterpret_cast<std::uintptr_t>(block))].load(
               std::memory_order_relaxed) != 0;
}
void mark_page_for_good(const void* block);
// In the child of a fork, which has counted nothing itself.
void forget_counted_pages();

// Zeroed memory is an empty table: it lies in memory that fork wipes.
class BlockTable {
public:
    // Without the lock, after page_is_counted(): the second question. False: surely not there.
    bool may_have(const void* address) const {
        return filter_[filter_place(reinterpret_cast<std::uintptr_t>(address))].load(
                   std::memory_order_relaxed) != 0;
    }
    // False when there is no room: thin it, and try again.
    bool insert(const SampledBlock& block);
    bool take(std::uint64_t address, SampledBlock& out);
    std::uint32_t count() const { return count_; }

    // Calls keep(block) once for each and removes those for which it returns false. It may change
    // everything but the address.
    template <class Keep>
    void filter(Keep keep) {
        // Two walks: removing moves blocks, and none may be asked twice.
        for (std::uint32_t i = 0; i < capacity(); ++i)
            if (blocks_[i].address != 0 && !keep(blocks_[i])) blocks_[i].weight = 0;
        for (std::uint32_t i = 0; i < capacity();) {
            if (blocks_[i].address != 0 && blocks_[i].weight == 0)
                remove_at(i);
            else
                ++i;
        }
    }

    // Once for each; all but the address may be changed, the weight not to 0.
    template <class Visit>
    void each(Visit visit) {
        for (std::uint32_t i = 0; i < capacity(); ++i)
            if (blocks_[i].address != 0) visit(blocks_[i]);
    }

private:
    static constexpr unsigned first_bits = 12, most_bits = 16, growth_bits = 2;
    std::uint32_t capacity() const { return bits_ == 0 ? 0 : 1U << bits_; }
    std::uint32_t home(std::uint64_t address) const {
        return static_cast<std::uint32_t>(((address >> 4U) * 0x9E3779B97F4A7C15ULL) >>
                                          (64U - bits_));
    }
    static std::size_t filter_place(std::uint64_t address) {
        return ((address >> 4U) * 0x9E3779B97F4A7C15ULL) >> 48U;
    }
    bool grow();
    void put(const SampledBlock& block);
    void remove_at(std::uint32_t at);

    SampledBlock* blocks_;
    std::uint32_t bits_, count_;
    // How many blocks share a place; one that ran full stays so.
    std::atomic<std::uint8_t> filter_[1U << 16U];
};

}  // namespace holdfast::agent
