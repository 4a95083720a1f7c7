// What counting does at intervals of time: adapts the sampling rate, closes time windows, looks for
// Python.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "agent/base/clock.h"
#include "agent/base/raw_calls.h"
#include "agent/box/slot.h"
#include "agent/heap/heap.h"
#include "agent/heap/random.h"
#include "agent/heap/state.h"
#include "agent/heap/touched.h"
#include "agent/heap/unseen.h"

namespace holdfast::agent {
namespace {

using format::AgentMemory;
using format::AgentWindow;

constexpr std::int64_t first_window = 100'000'000;
constexpr std::int64_t period = 100'000'000;
// 400 samples a second when all are freed again, 2,000 when all stay.
constexpr std::uint32_t period_most = 200, period_calm = 50;
constexpr std::int64_t look_pause = 20'000'000;

std::uint64_t resident_bytes() {
    char text[128];
    const int fd = raw_open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return format::unknown;
    const ssize_t size = raw_read(fd, text, sizeof text - 1);
    raw_close(fd);
    if (size <= 0) return format::unknown;
    text[size] = 0;
    const char* at = std::strchr(text, ' ');
    if (at == nullptr) return format::unknown;
    std::uint64_t pages = 0;
    for (++at; *at >= '0' && *at <= '9'; ++at)
        pages = pages * 10 + static_cast<std::uint64_t>(*at - '0');
    return pages * static_cast<std::uint64_t>(::getpagesize());
}

constexpr std::uint64_t least_rise = 8U << 20U;
constexpr std::int64_t least_gap = 10'000'000;

// Drops every second window.
void fold(AgentMemory& memory) {
    constexpr std::uint32_t half = format::agent_windows / 2;
    const std::uint32_t sites = sites_in(memory);
    for (std::uint32_t i = 0; i < half; ++i) memory.windows[i] = memory.windows[2 * i + 1];
    memory.window_count = half;
    for (std::uint32_t i = half; i < format::agent_windows; ++i) memory.windows[i] = AgentWindow{};
    for (std::uint32_t s = 0; s < sites; ++s) {
        std::uint32_t* live = memory.sites[s].live_kib;
        for (std::uint32_t i = 0; i < half; ++i) live[i] = live[2 * i + 1];
        std::memset(live + half, 0, half * sizeof *live);
    }
}

void adjust_rate(HeapState& state, std::int64_t now) {
    std::int64_t end = state.period_end.load(std::memory_order_relaxed);
    if (now < end || !state.period_end.compare_exchange_strong(end, now + period)) return;
    const std::uint32_t effort = state.period_effort.exchange(0, std::memory_order_relaxed);
    const std::uint64_t interval = state.interval.load(std::memory_order_relaxed);
    if (effort < period_calm && interval > state.least_interval.load(std::memory_order_relaxed))
        state.interval.store(interval / 2, std::memory_order_relaxed);
}

void look_for_python(HeapState& state, std::int64_t now) {
    if (on_sample == nullptr) return;
    const bool early = now < state.early_until.load(std::memory_order_relaxed);
    std::int64_t next_time = state.next_look.load(std::memory_order_relaxed);
    if (!early && now < next_time) return;
    if (!state.next_look.compare_exchange_strong(next_time, now + look_pause)) return;
    on_sample();
    if (early && python_running()) state.early_until.store(0, std::memory_order_relaxed);
}

}  // namespace

// Not only by the clock: a short burst would be over first.
void spend_effort(HeapState& state, std::uint32_t effort) {
    if (state.period_effort.fetch_add(effort, std::memory_order_relaxed) + effort < period_most)
        return;
    state.period_effort.store(period_most / 2, std::memory_order_relaxed);
    const std::uint64_t interval = state.interval.load(std::memory_order_relaxed);
    if (interval < widest_interval) state.interval.store(interval * 2, std::memory_order_relaxed);
}

void close_window(HeapState& state, AgentMemory& memory, std::int64_t now) {
    std::uint32_t at = windows_in(memory);
    if (at >= format::agent_windows) {
        fold(memory);
        at = format::agent_windows / 2;
    }
    weigh_by_touch(state, memory);
    const std::uint32_t sites = sites_in(memory);
    for (std::uint32_t s = 0; s < sites; ++s) {
        const std::uint64_t live = memory.sites[s].live_bytes / kib;
        memory.sites[s].live_kib[at] =
            live < UINT32_MAX ? static_cast<std::uint32_t>(live) : UINT32_MAX;
    }
    AgentWindow& window = memory.windows[at];
    window.step = state.step.load(std::memory_order_relaxed);
    window.gpu_allocated = state.gpu_allocated.load(std::memory_order_relaxed);
    window.tracked = memory.live_bytes;
    window.arenas = memory.arena_bytes;
    window.rss = resident_bytes();
    window.end = now;
    memory.window_count = at + 1;
    state.window_end = now;
    const std::uint64_t above = memory.live_bytes + std::max(least_rise, memory.live_bytes / 16);
    state.window_above = std::max(state.window_above, above);
}

void follow_growth(HeapState& state, AgentMemory& memory, std::int64_t now) {
    if (memory.live_bytes < state.window_above || state.windows_began == 0 ||
        now - state.window_end < least_gap)
        return;
    close_window(state, memory, now);
}

namespace {

void look_at_resident_memory(HeapState& state, std::int64_t now) {
    std::int64_t due = state.next_resident.load(std::memory_order_relaxed);
    if (now < due || !state.next_resident.compare_exchange_strong(due, now + period)) return;
    format::AgentSlot* own = slot();
    if (own == nullptr || !state.lock.try_lock()) return;
    look_for_unseen(state, own->memory, now);
    state.lock.unlock();
}

}  // namespace

void housekeeping(HeapState& state, std::int64_t now) {
    adjust_rate(state, now);
    look_for_python(state, now);
    look_at_resident_memory(state, now);
    std::int64_t due = state.next_window.load(std::memory_order_relaxed);
    if (now < due || !state.next_window.compare_exchange_strong(due, now + first_window)) return;
    format::AgentSlot* own = slot();
    if (own == nullptr || !state.lock.try_lock()) return;
    AgentMemory& memory = own->memory;
    // The first time only starts the clock: there is no window before it.
    if (state.windows_began == 0) {
        state.windows_began = now;
        state.window_above = memory.live_bytes + least_rise;
        if (memory.window_ns == 0) memory.window_ns = static_cast<std::uint64_t>(first_window);
    } else {
        // The clock alone would have used all windows: from now on they last twice as long.
        const auto lasted = static_cast<std::uint64_t>(now - state.windows_began);
        if (lasted >= format::agent_windows * memory.window_ns) memory.window_ns *= 2;
        close_window(state, memory, now);
    }
    state.next_window.store(now + static_cast<std::int64_t>(memory.window_ns),
                            std::memory_order_relaxed);
    memory.interval = state.interval.load(std::memory_order_relaxed);
    memory.dropped = state.dropped.load(std::memory_order_relaxed);
    state.lock.unlock();
}

void thin_blocks(HeapState& state, AgentMemory& memory) {
    const std::uint64_t small = 4 * state.interval.load(std::memory_order_relaxed);
    state.held.blocks.filter([&](SampledBlock& block) {
        if (block.arena() || block.weight > small) return true;
        const std::uint16_t site = block.site();
        take_from_site(memory, site, block.size(), block.weight);
        if ((random_bits(state.random) >> 63U) != 0) return false;
        const std::uint64_t weight = block.weight * 2;
        const std::uint64_t total = memory.sites[site].total_bytes;
        block.weight = weight;
        add_to_site(memory, site, block.size(), weight);
        memory.sites[site].total_bytes = total;
        return true;
    });
    const std::uint64_t interval = state.interval.load(std::memory_order_relaxed);
    const std::uint64_t least = state.least_interval.load(std::memory_order_relaxed);
    if (least < widest_interval) state.least_interval.store(least * 2, std::memory_order_relaxed);
    if (interval < least * 2) state.interval.store(least * 2, std::memory_order_relaxed);
}

void heap_step(std::uint64_t step, std::uint64_t gpu_allocated) {
    HeapState* state = counting() ? heap_state() : nullptr;
    if (state == nullptr) return;
    const Busy inside;
    state->step.store(step, std::memory_order_relaxed);
    // Asking costs the program time, so most steps leave this unknown.
    if (gpu_allocated != format::unknown)
        state->gpu_allocated.store(gpu_allocated, std::memory_order_relaxed);
    housekeeping(*state, now());
}

}  // namespace holdfast::agent
