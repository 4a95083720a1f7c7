// Counts memory and charges it to lines, for the hooks.
#include "agent/base/clock.h"
#include "agent/box/slot.h"
#include "agent/heap/pymem.h"
#include "agent/heap/sampling.h"
#include "agent/heap/state.h"
#include "agent/heap/unseen.h"

namespace holdfast::agent {
namespace {

using format::AgentMemory;

constexpr std::int64_t borrowed_for = 1'000'000;  // how long another thread's stack stays good

AgentMemory* memory_of_slot() {
    format::AgentSlot* own = slot();
    return own != nullptr ? &own->memory : nullptr;
}

// An arena says only which line asked for it: one sample, whatever its size.
std::uint64_t arena_variance(std::uint64_t size) { return size / kib * (size / kib); }

void settle(AgentMemory& memory, const SampledBlock& gone) {
    format::AgentSite& site = memory.sites[gone.site()];
    if (gone.arena() && gone.weight < site.live_bytes)
        site.variance_kib2 = static_cast<std::uint64_t>(
            static_cast<double>(site.variance_kib2) *
            (1 - static_cast<double>(gone.weight) / static_cast<double>(site.live_bytes)));
    take_from_site(memory, gone.site(), gone.size(), gone.weight);
    if (gone.arena() && memory.arena_bytes >= gone.size()) memory.arena_bytes -= gone.size();
}

void remove_late(HeapState& state, AgentMemory& memory) {
    if (state.late_count.load(std::memory_order_acquire) == 0) return;
    for (auto& late : state.late) {
        const std::uint64_t address = late.exchange(0, std::memory_order_acq_rel);
        if (address == 0) continue;
        state.late_count.fetch_sub(1);
        SampledBlock gone;
        if (state.held.blocks.take(address, gone)) settle(memory, gone);
    }
}

void take_note_of_place(format::AgentSlot& own, const Asker& asker, std::uint16_t site,
                        std::int64_t time) {
    if (!thread_budget.main_thread || asker.count == 0 || site == other_site) return;
    own.place.tid = own.pid;
    own.place.stack = own.memory.sites[site].stack;
    own.place.time = time;
}

// The calling thread's frames, or the main thread's if it has none. Under the lock, because all
// threads share the copy of the main thread's frames.
void find_asker(HeapState& state, Asker& asker, std::int64_t time) {
    if (asker.count > 0) return;
    if (!python_running() || thread_budget.main_thread) {
        asker.flags |= format::site_native;
        return;
    }
    if (time - state.main_time > borrowed_for) {
        state.main_count = main_frames(state.main_frames, Asker::most);
        state.main_time = time;
    }
    asker.count = state.main_count;
    for (std::size_t i = 0; i < asker.count; ++i) asker.frames[i] = state.main_frames[i];
    asker.flags |= asker.count > 0 ? format::site_borrowed_stack : format::site_native;
}

// Calls count(memory, site) under the lock with the site of the caller.
template <class Count>
void count_for_caller(std::uint32_t flags, std::uint64_t weight, Count count) {
    const Busy inside;
    HeapState* state = heap_state();
    format::AgentSlot* own = slot();
    if (state == nullptr || own == nullptr) return;
    Asker asker;
    asker.flags = flags;
    asker.count = own_frames(asker.frames, Asker::most);
    const std::int64_t time = now();
    bool done = false;
    for (int i = 0; i < 400 && !done; ++i) {
        done = state->lock.try_lock();
        if (!done && i >= 100) ::sched_yield();
    }
    if (!done) {
        state->dropped.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    remove_late(*state, own->memory);
    find_asker(*state, asker, time);
    const std::uint16_t site = state->index.find(own->memory, asker, weight, state->held, time);
    take_note_of_place(*own, asker, site, time);
    // Before this block counts, because windows weigh blocks by their touched pages, and this one
    // is not touched yet.
    follow_growth(*state, own->memory, time);
    count(*state, own->memory, site);
    note_seen(state->unseen, own->memory);
    ++own->memory.samples;
    state->lock.unlock();
}

void put_block(HeapState& state, AgentMemory& memory, const SampledBlock& block) {
    // A counted block at this address must have been freed unseen: in a signal handler, or through
    // an allocator's own function.
    SampledBlock stale;
    if (state.held.blocks.take(block.address, stale)) settle(memory, stale);
    if (!state.held.blocks.insert(block)) {
        thin_blocks(state, memory);
        if (!state.held.blocks.insert(block)) {
            state.dropped.fetch_add(1, std::memory_order_relaxed);
            return;
        }
    }
    add_to_site(memory, block.site(), block.size(), block.weight);
    if (!block.arena()) return;
    memory.arena_bytes += block.size();
    memory.sites[block.site()].variance_kib2 += arena_variance(block.size());
}

// Removes [begin, end) from the counted regions and calls gone(memory, region) for each removed
// part. What is left of a region stays counted.
template <class Gone>
void cut_regions(HeapState& state, AgentMemory& memory, std::uint64_t begin, std::uint64_t end,
                 Gone gone) {
    state.held.regions.cut(
        begin, end,
        [&](const Region& region) {
            take_from_site(memory, region.site, region.size(), region.weight);
            gone(region);
        },
        [&](const Region& rest) {
            add_to_site(memory, rest.site, rest.size(), rest.weight);
            memory.sites[rest.site].total_bytes -= rest.weight;
        });
}

// Calls change(state, memory) under the lock, unless nothing is counted.
template <class Change>
void change_regions(Change change) {
    HeapState* state = counting() ? heap_state() : nullptr;
    AgentMemory* memory = memory_of_slot();
    if (state == nullptr || memory == nullptr) return;
    if (state->regions.load(std::memory_order_relaxed) == 0) return;
    const HeapLock lock(*state);
    if (!lock.held()) return;
    change(*state, *memory);
    state->regions.store(state->held.regions.count(), std::memory_order_relaxed);
}

}  // namespace

void count_block(const void* address, std::uint64_t size, std::uint64_t weight) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    count_for_caller(0, weight, [&](HeapState& state, AgentMemory& memory, std::uint16_t site) {
        put_block(state, memory, make_block(at, size, weight, site, false));
    });
}

void count_arena(std::uint64_t begin, std::uint64_t size) {
    count_for_caller(format::site_arena, size,
                     [&](HeapState& state, AgentMemory& memory, std::uint16_t site) {
                         put_block(state, memory, make_block(begin, size, size, site, true));
                         arena_counted(state, memory, begin, size, site);
                     });
}

void move_arena(HeapState& state, AgentMemory& memory, std::uint64_t address, std::uint16_t to,
                std::int64_t since) {
    SampledBlock block;
    if (!state.held.blocks.take(address, block)) return;  // another thread freed it meanwhile
    const std::uint16_t from = block.site();
    if (from == to) {
        state.held.blocks.insert(block);
        return;
    }
    settle(memory, block);
    const std::uint64_t total = memory.sites[from].total_bytes;
    memory.sites[from].total_bytes = total > block.weight ? total - block.weight : 0;
    put_block(state, memory, make_block(address, block.size(), block.weight, to, true));
    const auto size = static_cast<std::uint32_t>(block.size() / kib);
    const std::uint32_t windows = windows_in(memory);
    for (std::uint32_t w = 0; w < windows; ++w) {
        if (memory.windows[w].end < since) continue;
        std::uint32_t& before = memory.sites[from].live_kib[w];
        before = before > size ? before - size : 0;
        memory.sites[to].live_kib[w] += size;
    }
}

void count_region(std::uint64_t begin, std::uint64_t size, std::uint64_t weight) {
    count_for_caller(0, weight, [&](HeapState& state, AgentMemory& memory, std::uint16_t site) {
        if (!state.held.regions.insert({begin, begin + size, weight, site})) {
            state.dropped.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        add_to_site(memory, site, size, weight);
        state.regions.store(state.held.regions.count(), std::memory_order_relaxed);
    });
}

bool uncount_block(const void* address, SampledBlock* out) {
    HeapState* state = counting() ? heap_state() : nullptr;
    AgentMemory* memory = memory_of_slot();
    if (state == nullptr || memory == nullptr) return false;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const HeapLock lock(*state, 300);
    if (!lock.held()) {
        // Not lost: the next holder of the lock removes it first.
        for (auto& late : state->late) {
            std::uint64_t empty = 0;
            state->late_count.fetch_add(1);
            if (late.compare_exchange_strong(empty, at, std::memory_order_acq_rel)) return false;
            state->late_count.fetch_sub(1);
        }
        return false;
    }
    remove_late(*state, *memory);
    SampledBlock gone;
    if (!state->held.blocks.take(at, gone)) return false;
    settle(*memory, gone);
    spend_effort(*state, effort_to_forget);
    if (out != nullptr) *out = gone;
    return true;
}

void recount_block(const SampledBlock& block) {
    HeapState* state = heap_state();
    AgentMemory* memory = memory_of_slot();
    if (state == nullptr || memory == nullptr) return;
    const HeapLock lock(*state);
    if (lock.held()) put_block(*state, *memory, block);
}

void uncount_regions(std::uint64_t begin, std::uint64_t end) {
    change_regions([&](HeapState& state, AgentMemory& memory) {
        cut_regions(state, memory, begin, end, [](const Region&) {});
    });
}

void move_region(std::uint64_t begin, std::uint64_t size, std::uint64_t new_begin,
                 std::uint64_t new_size) {
    change_regions([&](HeapState& state, AgentMemory& memory) {
        bool found = false;
        Region moved{new_begin, new_begin + new_size, new_size, other_site};
        cut_regions(state, memory, begin, begin + size, [&](const Region& gone) {
            found = true;
            moved.site = gone.site;
            const auto scaled = static_cast<std::uint64_t>(static_cast<double>(gone.weight) /
                                                           static_cast<double>(gone.size()) *
                                                           static_cast<double>(new_size));
            if (scaled > new_size) moved.weight = scaled;
        });
        if (found && state.held.regions.insert(moved))
            add_to_site(memory, moved.site, moved.size(), moved.weight);
    });
}

}  // namespace holdfast::agent
