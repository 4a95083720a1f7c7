#include "agent/heap/sites.h"

#include <cstring>

#include "agent/heap/snapshot.h"

namespace holdfast::agent {
namespace {

using format::AgentMemory;
using format::AgentSite;
using format::AgentStack;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const AgentStack& stack, std::uint32_t flags) {
    std::uint64_t hash = mix(1, flags);
    std::uint64_t words[sizeof stack / 8];
    std::memcpy(words, &stack, sizeof stack);
    for (const std::uint64_t word : words) hash = mix(hash, word);
    return hash;
}

void lower(std::uint64_t& value, std::uint64_t by) { value = value > by ? value - by : 0; }

std::uint64_t importance(const AgentSite& site) { return site.live_bytes + site.peak_bytes / 8; }

}  // namespace

std::uint64_t Asker::hash() const {
    std::uint64_t hash = mix(2, flags);
    for (std::size_t i = 0; i < count; ++i) {
        hash = mix(hash, frames[i].code);
        hash = mix(hash, static_cast<std::uint32_t>(frames[i].instruction) |
                             static_cast<std::uint64_t>(frames[i].first_line) << 32U);
    }
    return hash;
}

// Of a deep stack, keeps the innermost frames, which show what was called, and then the program's
// own: a framework may have fifty frames between the two.
std::size_t SiteIndex::choose_frames(const RawFrame* frames, std::size_t count, RawFrame* chosen) {
    constexpr std::size_t room = format::agent_frames_per_stack;
    constexpr std::size_t innermost = 6;
    const bool deep = count > room;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count && taken < room; ++i)
        if (!deep || i < innermost || imports_.is_own(frames[i])) chosen[taken++] = frames[i];
    if (!deep || taken > innermost) return taken;
    for (taken = 0; taken < room; ++taken) chosen[taken] = frames[taken];
    return taken;
}

bool SiteIndex::describe_asker(const Asker& asker, bool fold_imports, AgentStack& stack) {
    std::memset(&stack, 0xFF, sizeof stack);
    if (asker.count == 0) return true;
    std::size_t from = fold_imports ? imports_.frames_inside(asker.frames, asker.count) : 0;
    if (from == asker.count) --from;
    RawFrame chosen[format::agent_frames_per_stack];
    describe(chosen, choose_frames(asker.frames + from, asker.count - from, chosen), stack);
    return stack.frames[0] != format::no_frame;  // else the frame table is full
}

std::uint16_t SiteIndex::find(AgentMemory& memory, const Asker& asker, std::uint64_t weight,
                              Holdings& held, std::int64_t now) {
    const std::uint64_t hash = asker.hash();
    Met& met = met_[hash % met_size];
    const bool known = met.hash == hash && met.site != 0;
    if (known) {
        met.weight += weight;
        if (!met.folded || met.weight < notable) return static_cast<std::uint16_t>(met.site - 1);
    }
    const bool importing =
        (!known && weight < notable && imports_.frames_inside(asker.frames, asker.count) > 0) ||
        imports_.innermost_is_import(asker.frames, asker.count);
    AgentStack stack;
    if (!describe_asker(asker, importing, stack)) return other_site;
    const std::uint32_t flags = asker.flags | (importing ? format::site_import : 0U);
    const std::uint16_t site = find(memory, stack, flags, held, now);
    if (site != other_site)
        met = {hash, known && !importing ? met.weight : weight, site + 1U, importing};
    return site;
}

std::uint16_t SiteIndex::find(AgentMemory& memory, const AgentStack& stack, std::uint32_t flags,
                              Holdings& held, std::int64_t now) {
    if (sites_in(memory) == 0) {
        std::memset(&memory.sites[0], 0, sizeof memory.sites[0]);
        std::memset(&memory.sites[0].stack, 0xFF, sizeof memory.sites[0].stack);
        memory.sites[0].flags = format::site_other;
        memory.site_count = 1;
    }
    const std::uint64_t hash = hash_of(stack, flags);
    std::uint32_t at = hash % index_size;
    for (; index_[at] != 0; at = (at + 1) % index_size) {
        const AgentSite& known = memory.sites[index_[at] - 1];
        if (known.flags == flags && std::memcmp(&known.stack, &stack, sizeof stack) == 0)
            return static_cast<std::uint16_t>(index_[at] - 1);
    }
    const std::uint32_t count = sites_in(memory);
    std::uint32_t site = count;
    if (free_count_ > 0) {
        site = free_[--free_count_];
    } else if (site >= format::agent_site_capacity) {
        if (!make_room(memory, held, now)) return other_site;
        site = free_[--free_count_];
        for (at = hash % index_size; index_[at] != 0;) at = (at + 1) % index_size;
    }
    AgentSite& fresh = memory.sites[site];
    std::memset(&fresh, 0, sizeof fresh);
    fresh.stack = stack;
    fresh.flags = flags;
    if (site == count) memory.site_count = site + 1;
    index_[at] = static_cast<std::uint16_t>(site + 1);
    return static_cast<std::uint16_t>(site);
}

// The least important sites are dropped, many at once and at most once a second: finding the blocks
// of those that go means a walk over the whole table. What is still alive goes to `other_site`.
bool SiteIndex::make_room(AgentMemory& memory, Holdings& held, std::int64_t now) {
    constexpr std::uint32_t leaving_most = format::agent_site_capacity / 8;
    if (now < next_room_) return false;
    next_room_ = now + 1'000'000'000;
    bool leaves[format::agent_site_capacity] = {};
    bool any_alive = false;
    const std::uint32_t count = sites_in(memory);
    for (std::uint32_t n = 0; n < leaving_most; ++n) {
        std::uint32_t least = 0;
        std::uint64_t least_importance = UINT64_MAX;
        for (std::uint32_t i = 1; i < count; ++i) {
            const std::uint64_t value = importance(memory.sites[i]);
            if (leaves[i] || value >= least_importance) continue;
            least = i;
            least_importance = value;
        }
        if (least == 0) break;
        leaves[least] = true;
        any_alive = any_alive || memory.sites[least].live_blocks > 0;
    }
    if (any_alive) {
        held.regions.each([&](Region& region) {
            if (leaves[region.site]) region.site = other_site;
        });
        held.blocks.filter([&](SampledBlock& block) {
            if (!leaves[block.site()]) return true;
            block =
                make_block(block.address, block.size(), block.weight, other_site, block.arena());
            return true;
        });
    }
    AgentSite& other = memory.sites[other_site];
    for (std::uint32_t i = 1; i < format::agent_site_capacity; ++i) {
        if (!leaves[i]) continue;
        AgentSite& site = memory.sites[i];
        other.live_blocks += site.live_blocks;
        other.live_bytes += site.live_bytes;
        other.variance_kib2 += site.variance_kib2;
        other.total_bytes += site.total_bytes;
        if (other.live_bytes > other.peak_bytes) other.peak_bytes = other.live_bytes;
        leave_snapshots(memory, static_cast<std::uint16_t>(i));
        std::memset(&site, 0, sizeof site);
        std::memset(&site.stack, 0xFF, sizeof site.stack);
        free_[free_count_++] = static_cast<std::uint16_t>(i);
    }
    rebuild(memory);
    return free_count_ > 0;
}

void SiteIndex::rebuild(AgentMemory& memory) {
    const std::uint32_t count = sites_in(memory);
    std::memset(met_, 0, sizeof met_);
    std::memset(index_, 0, sizeof index_);
    bool unused[format::agent_site_capacity] = {};
    for (std::uint32_t i = 0; i < free_count_; ++i) unused[free_[i]] = true;
    for (std::uint32_t i = 1; i < count; ++i) {
        if (unused[i]) continue;
        std::uint32_t at = hash_of(memory.sites[i].stack, memory.sites[i].flags) % index_size;
        while (index_[at] != 0) at = (at + 1) % index_size;
        index_[at] = static_cast<std::uint16_t>(i + 1);
    }
}

void add_to_site(AgentMemory& memory, std::uint16_t number, std::uint64_t size,
                 std::uint64_t weight) {
    AgentSite& site = memory.sites[number];
    ++site.live_blocks;
    site.live_bytes += weight;
    site.total_bytes += weight;
    site.variance_kib2 += block_variance(size, weight);
    if (site.live_bytes > site.peak_bytes) site.peak_bytes = site.live_bytes;
    memory.live_bytes += weight;
    if (memory.live_bytes > memory.peak_bytes) memory.peak_bytes = memory.live_bytes;
}

void change_site(AgentMemory& memory, std::uint16_t number, std::uint64_t before,
                 std::uint64_t after) {
    AgentSite& site = memory.sites[number];
    lower(site.live_bytes, before);
    site.live_bytes += after;
    if (site.live_bytes > site.peak_bytes) site.peak_bytes = site.live_bytes;
    lower(memory.live_bytes, before);
    memory.live_bytes += after;
}

void take_from_site(AgentMemory& memory, std::uint16_t number, std::uint64_t size,
                    std::uint64_t weight) {
    AgentSite& site = memory.sites[number];
    if (site.live_blocks > 0) --site.live_blocks;
    lower(site.live_bytes, weight);
    lower(site.variance_kib2, block_variance(size, weight));
    lower(memory.live_bytes, weight);
}

}  // namespace holdfast::agent
