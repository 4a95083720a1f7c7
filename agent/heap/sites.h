// The sites in the slot: live bytes by Python stack, found by hash through a private index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/heap/imports.h"
#include "agent/heap/regions.h"
#include "agent/python/stack.h"
#include "record/agent_format.h"

namespace holdfast::agent {

inline constexpr std::uint16_t other_site = 0;
inline constexpr std::uint64_t kib = 1024;

// The frames of the asker, innermost first, read before the lock is taken. More than a site keeps,
// so that an import statement further out can be found.
struct Asker {
    static constexpr std::size_t most = 128;
    RawFrame frames[most];
    std::size_t count = 0;
    std::uint32_t flags = 0;  // of AgentSiteFlags

    std::uint64_t hash() const;
};

// Private, in memory that fork wipes; zeroed is empty. Under the heap's lock.
class SiteIndex {
public:
    // The site of an asker for `weight` bytes, created when first seen, or `other_site`. If a site
    // is dropped for room, its blocks and regions in `held` go to `other_site`.
    std::uint16_t find(format::AgentMemory& memory, const Asker& asker, std::uint64_t weight,
                       Holdings& held, std::int64_t now);
    // The same by its description: false where it cannot be named.
    std::size_t choose_frames(const RawFrame* frames, std::size_t count, RawFrame* chosen);
    bool describe_asker(const Asker& asker, bool fold_imports, format::AgentStack& stack);
    std::uint16_t find(format::AgentMemory& memory, const format::AgentStack& stack,
                       std::uint32_t flags, Holdings& held, std::int64_t now);

private:
    static constexpr std::uint32_t index_size = 1024, met_size = 1024;
    // Lines inside an import are told apart once they have requested this much.
    static constexpr std::uint64_t notable = 8U << 20U;
    bool make_room(format::AgentMemory& memory, Holdings& held, std::int64_t now);
    void rebuild(format::AgentMemory& memory);

    struct Met {
        std::uint64_t hash;
        std::uint64_t weight;  // asked for until now, while `folded`
        std::uint32_t site;    // plus one; 0 is empty
        bool folded;           // into the line of the import statement
    };
    Met met_[met_size];                // by the hash of raw frames: the usual way
    std::uint16_t index_[index_size];  // by the hash of described frames; site plus one
    ImportCache imports_;
    std::uint16_t free_[format::agent_site_capacity];
    std::uint32_t free_count_;
    std::int64_t next_room_;
};

// How many there are. The slot is shared memory: read once, and used only within its bounds.
inline std::uint32_t within(std::uint32_t& count, std::uint32_t most) {
    const std::uint32_t number = std::atomic_ref(count).load(std::memory_order_relaxed);
    return number < most ? number : most;
}
inline std::uint32_t sites_in(format::AgentMemory& memory) {
    return within(memory.site_count, format::agent_site_capacity);
}
inline std::uint32_t windows_in(format::AgentMemory& memory) {
    return within(memory.window_count, format::agent_windows);
}

// In KiB squared, what one sampled block adds to the uncertainty of its site.
inline std::uint64_t block_variance(std::uint64_t size, std::uint64_t weight) {
    if (weight <= size) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(weight) *
                                      static_cast<double>(weight - size) / (1024.0 * 1024.0));
}

// Accounts of one site and of the whole.
void add_to_site(format::AgentMemory& memory, std::uint16_t number, std::uint64_t size,
                 std::uint64_t weight);
// From now on a block of the site counts with another weight.
void change_site(format::AgentMemory& memory, std::uint16_t number, std::uint64_t before,
                 std::uint64_t after);
void take_from_site(format::AgentMemory& memory, std::uint16_t number, std::uint64_t size,
                    std::uint64_t weight);

}  // namespace holdfast::agent
