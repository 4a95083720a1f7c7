// When to sample small objects, and what is made of it.
//
// An arena tells only the line that was unlucky, not the one whose objects stay. So while the
// arenas grow, objects are sampled for a moment, then only their ends are watched for a while:
// what is still there belongs to the growth, and each line gets its share of it.
#include "agent/heap/pymem.h"

#include <dlfcn.h>

#include <algorithm>

#include "agent/base/clock.h"
#include "agent/base/private_memory.h"
#include "agent/box/slot.h"
#include "agent/heap/heap.h"
#include "agent/heap/next.h"
#include "agent/heap/pymem_hooks.h"
#include "agent/heap/pymem_print.h"
#include "agent/heap/pymem_samples.h"

namespace holdfast::agent {
namespace {

using format::AgentMemory;

std::uintptr_t python_begin = 0;
std::uintptr_t python_end = 0;

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t shortest_window = 300 * millisecond, longest_window = 1200 * millisecond;
constexpr std::int64_t watch_time = 2500 * millisecond;
constexpr std::int64_t longest_pause = 60'000 * millisecond;
constexpr std::uint64_t widest = 16U << 10U, narrowest = 4U << 10U;
constexpr std::uint64_t worth_a_window = 2U << 20U;
constexpr std::uint32_t enough_objects = 16;

bool is_small_site(const format::AgentSite& site) {
    return (site.flags & format::site_small_objects) != 0;
}

std::uint64_t small_total(AgentMemory& memory) {
    const std::uint32_t count = sites_in(memory);
    std::uint64_t total = 0;
    for (std::uint32_t i = 1; i < count; ++i)
        if (is_small_site(memory.sites[i])) total += memory.sites[i].live_bytes;
    return total;
}

// Arenas were given back: there cannot be more in them than there are.
void shrink_to(AgentMemory& memory, std::uint64_t most) {
    const std::uint64_t total = small_total(memory);
    if (total <= most) return;
    const double part = static_cast<double>(most) / static_cast<double>(total);
    const std::uint32_t count = sites_in(memory);
    for (std::uint32_t i = 1; i < count; ++i) {
        format::AgentSite& site = memory.sites[i];
        if (!is_small_site(site)) continue;
        site.live_bytes = static_cast<std::uint64_t>(static_cast<double>(site.live_bytes) * part);
        site.variance_kib2 =
            static_cast<std::uint64_t>(static_cast<double>(site.variance_kib2) * part * part);
    }
}

void share_out(HeapState& heap, AgentMemory& memory, PyMemState& state, std::uint64_t bytes,
               std::uint64_t evidence, std::int64_t time) {
    for (const ObjectLine& line : state.lines) {
        if (line.evidence == 0) continue;
        const double part = static_cast<double>(line.evidence) / static_cast<double>(evidence);
        const auto share = static_cast<std::uint64_t>(part * static_cast<double>(bytes));
        if (share < kib) continue;
        const std::uint16_t number =
            heap.index.find(memory, line.stack, format::site_small_objects, heap.held, time);
        if (number == other_site) continue;
        format::AgentSite& site = memory.sites[number];
        site.live_bytes += share;
        site.total_bytes += share;
        site.peak_bytes = std::max(site.peak_bytes, site.live_bytes);
        const double error = static_cast<double>(share) / static_cast<double>(kib);
        site.variance_kib2 += static_cast<std::uint64_t>(
            error * error / std::max<double>(1, static_cast<double>(line.objects)));
    }
}

// The watch is over: what is left of the window's objects stands for the growth of the arenas.
void conclude(PyMemState& state, std::int64_t time) {
    std::uint64_t stayed = 0;
    std::uint32_t objects = 0;
    for (ObjectLine& line : state.lines) line.stayed = line.objects = 0;
    each_object(state, [&](const SampledObject& object) {
        stayed += object.weight;
        if (print_differs(object.address, object.print)) return;  // whose it is now, none can say
        state.lines[object.line].stayed += object.weight;
        ++state.lines[object.line].objects;
        ++objects;
    });
    clear_objects(state);
    std::uint64_t evidence = 0;
    std::uint32_t top = 0;
    for (std::uint32_t i = 0; i < PyMemState::line_capacity; ++i) {
        ObjectLine& line = state.lines[i];
        line.evidence = line.evidence / 2 + line.stayed;
        if (line.evidence < kib) {
            line.evidence = 0;
        } else {
            evidence += line.evidence;
            if (line.evidence > state.lines[top].evidence) top = i;
        }
    }
    // Too few to tell lines apart: look longer and closer next time.
    if (objects < enough_objects) {
        state.window_ns = std::min(state.window_ns * 2, longest_window);
        state.interval = std::max(state.interval / 2, narrowest);
    }
    state.same_rounds = top == state.top_line && evidence > 0 ? state.same_rounds + 1 : 0;
    state.top_line = top;
    std::int64_t pause = 0;
    if (state.same_rounds >= 3)
        pause = std::min(watch_time << std::min(state.same_rounds - 3, 5U), longest_pause);
    state.next_window = time + pause;
    ++state.rounds;

    HeapState* heap = heap_state();
    format::AgentSlot* own = slot();
    if (heap == nullptr || own == nullptr || evidence == 0) return;
    const std::int64_t sampled_for =
        std::max<std::int64_t>(state.window_end - state.window_begin, millisecond);
    for (int tries = 0; tries < 1000; ++tries) {
        if (!heap->lock.try_lock()) continue;
        AgentMemory& memory = own->memory;
        const std::uint64_t grown =
            memory.arena_bytes > state.base ? memory.arena_bytes - state.base : 0;
        const std::uint64_t known = small_total(memory);
        const double rate = static_cast<double>(stayed) / static_cast<double>(sampled_for);
        const auto estimate =
            static_cast<std::uint64_t>(rate * static_cast<double>(time - state.mark_time));
        const std::uint64_t room = grown > known ? grown - known : 0;
        if (const std::uint64_t bytes = std::min(room, estimate))
            share_out(*heap, memory, state, bytes, evidence, time);
        state.mark = memory.arena_bytes;
        state.mark_time = time;
        heap->lock.unlock();
        return;
    }
}

void forget_idle_lines(PyMemState& state) {
    std::uint32_t used = 0;
    for (const ObjectLine& line : state.lines) used += line.hash != 0;
    if (used < PyMemState::line_capacity / 2) return;
    // Open addressing without removal: all go, and those that matter are soon back.
    for (ObjectLine& line : state.lines) line = ObjectLine{};
}

void begin_window(PyMemState& state, std::int64_t time) {
    forget_idle_lines(state);
    state.window_begin = time;
    state.unprinted = 0;
    state.window_end = time + state.window_ns;
    state.budget = static_cast<std::int64_t>(state.interval);
    state.hooks = static_cast<std::uint32_t>(PyMemHooks::sampling);
    set_pymem_hooks(PyMemHooks::sampling);
}

void notice_growth(PyMemState& state, AgentMemory& memory, std::int64_t time) {
    const std::uint64_t arenas = memory.arena_bytes;
    if (arenas <= state.mark) {
        state.mark = arenas;
        state.mark_time = time;
        if (small_total(memory) == 0) state.base = arenas;
    }
    if (arenas < state.base + small_total(memory)) {
        HeapState* heap = heap_state();
        if (heap == nullptr || !heap->lock.try_lock()) return;
        state.base = std::min(state.base, arenas);
        shrink_to(memory, arenas - state.base);
        heap->lock.unlock();
    }
    state.seen = std::min(state.seen, arenas);
    if (arenas < state.seen + worth_a_window || time < state.next_window) return;
    state.seen = arenas;
    begin_window(state, time);
}

bool prepare(format::AgentSlot& own) {
    const PythonVersion python = python_version();
    if (!python.lines || python.free_threaded || !find_pymem()) return false;
    if (pymem_state == nullptr)
        pymem_state = static_cast<PyMemState*>(wiped_on_fork(sizeof(PyMemState)));
    if (pymem_state == nullptr) return false;
    if (pymem_state->random == 0) {
        find_printed_types();
        pymem_state->random = static_cast<std::uint64_t>(now()) | 1U;
        pymem_state->interval = widest;
        pymem_state->window_ns = shortest_window;
        pymem_state->mark = pymem_state->base = pymem_state->seen = own.memory.arena_bytes;
        pymem_state->mark_time = now();
    }
    return true;
}

}  // namespace

void find_python_allocator() {
    if (python_begin != 0) return;
    void* known = ::dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    if (known != nullptr) object_around(known, python_begin, python_end);
}

bool is_arena(std::size_t size, const void* caller) {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    return is_arena_size(size) && at >= python_begin && at < python_end;
}

void pymem_turn(std::int64_t time) {
    PyMemState& state = *pymem_state;
    if (state.hooks == static_cast<std::uint32_t>(PyMemHooks::sampling)) {
        if (time < state.window_end) return;
        state.window_end = time;
        state.watch_end = time + watch_time;
        state.hooks = static_cast<std::uint32_t>(PyMemHooks::watching);
        set_pymem_hooks(PyMemHooks::watching);
    } else if (state.hooks == static_cast<std::uint32_t>(PyMemHooks::watching)) {
        if (time < state.watch_end) return;
        state.hooks = static_cast<std::uint32_t>(PyMemHooks::out);
        set_pymem_hooks(PyMemHooks::out);
        conclude(state, time);
    } else if (pymem_hooks_in()) {
        set_pymem_hooks(PyMemHooks::out);
    }
}

void stop_sampling_objects() {
    if (pymem_state == nullptr) return;
    pymem_state->hooks = static_cast<std::uint32_t>(PyMemHooks::out);
    pymem_state->unprinted = 0;
    pymem_state->budget = pymem_state->checks = 0;
}

void python_tick() {
    const Busy inside;
    find_python_allocator();
    format::AgentSlot* own = slot();
    if (!counting() || own == nullptr || !prepare(*own)) return;
    const std::int64_t time = now();
    pymem_turn(time);
    if (pymem_state->hooks == static_cast<std::uint32_t>(PyMemHooks::out))
        notice_growth(*pymem_state, own->memory, time);
}

}  // namespace holdfast::agent
