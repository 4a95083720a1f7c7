// Which lines the arenas of Python's allocator belong to: Python's small objects never reach
// malloc.
//
// An arena belongs to the line that asked for it, until more is known. That is right for a burst.
// But if many objects come and go, that line just happened to run; it is not the one whose objects
// stay. So while the arenas grow, new objects are sampled for a moment; then, for a while, only
// their frees are watched. The samples that are left represent the growth, and the arenas asked for
// meanwhile are charged to the lines whose objects stayed.
#include "agent/heap/pymem.h"

#include <dlfcn.h>

#include <algorithm>
#include <span>

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
// The first look is a short one: a burst is soon over, and the program perhaps with it.
constexpr std::int64_t first_look = 40 * millisecond, first_watch = 300 * millisecond;
constexpr std::int64_t shortest_window = 300 * millisecond, longest_window = 1200 * millisecond;
constexpr std::int64_t watch_time = 2500 * millisecond;
constexpr std::int64_t longest_pause = 60'000 * millisecond;
constexpr std::uint64_t widest = 16U << 10U, narrowest = 4U << 10U;
constexpr std::uint64_t worth_a_window = 2U << 20U;
constexpr std::uint32_t enough_objects = 16;

// The line that is furthest behind its share of the arenas charged so far.
std::uint32_t next_line(const PyMemState& state, std::uint64_t evidence) {
    double given = 1;
    for (const ObjectLine& line : state.lines) given += line.arenas;
    std::uint32_t best = PyMemState::line_capacity;
    double most = -1;
    for (std::uint32_t i = 0; i < PyMemState::line_capacity; ++i) {
        const ObjectLine& line = state.lines[i];
        if (line.evidence == 0) continue;
        const double due =
            given * static_cast<double>(line.evidence) / static_cast<double>(evidence) -
            line.arenas;
        if (best != PyMemState::line_capacity && due <= most) continue;
        best = i;
        most = due;
    }
    return best;
}

std::uint64_t evidence_in_all(const PyMemState& state) {
    std::uint64_t evidence = 0;
    for (const ObjectLine& line : state.lines) evidence += line.evidence;
    return evidence;
}

void give_arena(HeapState& heap, AgentMemory& memory, PyMemState& state, const FreshArena& arena,
                std::uint64_t evidence) {
    const std::uint32_t number = next_line(state, evidence);
    if (number == PyMemState::line_capacity) return;
    ObjectLine& line = state.lines[number];
    const std::uint16_t site =
        heap.index.find(memory, line.stack, format::site_small_objects, heap.held, arena.time);
    if (site == other_site) return;
    move_arena(heap, memory, arena.address, site, arena.time);
    ++line.arenas;
}

// Whether this arena's asker made small objects in the last watch: any other line had no part in
// what was watched.
bool takes_part(const PyMemState& state, const AgentMemory& memory, std::uint16_t asker) {
    if (asker == other_site) return false;
    const std::uint32_t line = known_line(state, memory.sites[asker].stack);
    return line < PyMemState::line_capacity && state.lines[line].made_before > 0;
}

// Moves the arenas that lines of this watch asked for to the lines whose objects stayed, up to the
// bytes that those objects account for.
void share_out(HeapState& heap, AgentMemory& memory, PyMemState& state, std::uint64_t stayed,
               std::uint64_t evidence, std::int64_t time) {
    double asked = 0;
    std::uint32_t count = 0;
    std::int64_t since = time;
    for (FreshArena& arena : std::span(state.fresh, state.fresh_count)) {
        if (!takes_part(state, memory, arena.asker)) continue;
        asked += static_cast<double>(arena.size);
        since = std::min(since, arena.time);
        ++count;
    }
    if (count == 0) return;
    const std::int64_t sampled_for =
        std::max<std::int64_t>(state.window_end - state.window_begin, millisecond);
    const double rate = static_cast<double>(stayed) / static_cast<double>(sampled_for);
    const double accounted = rate * static_cast<double>(time - std::min(since, state.window_begin));
    const double part = std::min(1.0, accounted / asked);
    const double usual_kib = asked / count / static_cast<double>(kib);
    double due = 0.5;
    for (const FreshArena& arena : std::span(state.fresh, state.fresh_count)) {
        if (!takes_part(state, memory, arena.asker)) continue;
        due += part;
        if (due < 1) continue;
        due -= 1;
        give_arena(heap, memory, state, arena, evidence);
    }
    for (ObjectLine& line : state.lines) {
        if (line.arenas == 0 || line.objects == 0) continue;
        const std::uint16_t site =
            heap.index.find(memory, line.stack, format::site_small_objects, heap.held, time);
        const double error = line.arenas * usual_kib;
        if (site != other_site)
            memory.sites[site].variance_kib2 +=
                static_cast<std::uint64_t>(error * error / line.objects);
    }
}

// The watch is over: what is left of the window's objects represents the growth of the arenas.
void conclude(PyMemState& state, std::int64_t time) {
    std::uint64_t stayed = 0;
    std::uint32_t objects = 0;
    for (ObjectLine& line : state.lines) line.stayed = line.objects = 0;
    each_object(state, [&](const SampledObject& object) {
        stayed += object.weight;
        if (print_differs(object.address, object.print)) return;  // its owner is unknown now
        state.lines[object.line].stayed += object.weight;
        ++state.lines[object.line].objects;
        ++objects;
    });
    clear_objects(state);
    std::uint32_t top = 0;
    for (std::uint32_t i = 0; i < PyMemState::line_capacity; ++i) {
        ObjectLine& line = state.lines[i];
        line.arenas = 0;
        line.made_before = line.made;
        line.made = 0;
        line.evidence = line.evidence / 2 + line.stayed;
        // A line that made no objects meanwhile is not the one that grows.
        if (line.evidence < kib || line.made_before == 0) line.evidence = 0;
        if (line.evidence > state.lines[top].evidence) top = i;
    }
    const std::uint64_t evidence = evidence_in_all(state);
    if (state.window_ns < shortest_window) {
        state.window_ns = shortest_window;
    } else if (objects < enough_objects) {
        // Too few samples to tell lines apart: look longer and more closely next time.
        state.window_ns = std::min(state.window_ns * 2, longest_window);
        state.interval = std::max(state.interval / 2, narrowest);
    }
    state.same_rounds = top == state.top_line && evidence > 0 ? state.same_rounds + 1 : 0;
    state.top_line = top;
    std::int64_t pause = 0;
    if (state.same_rounds >= 3)
        pause = std::min(watch_time << std::min(state.same_rounds - 3, 5U), longest_pause);
    state.next_window = time + pause;

    HeapState* heap = heap_state();
    format::AgentSlot* own = slot();
    if (heap == nullptr || own == nullptr) return;
    for (int tries = 0; tries < 1000; ++tries) {
        if (!heap->lock.try_lock()) continue;
        if (evidence > 0) share_out(*heap, own->memory, state, stayed, evidence, time);
        state.fresh_count = 0;
        heap->lock.unlock();
        return;
    }
}

void forget_idle_lines(PyMemState& state) {
    std::uint32_t used = 0;
    for (const ObjectLine& line : state.lines) used += line.hash != 0;
    if (used < PyMemState::line_capacity / 2) return;
    // An open-addressed table without removal: all lines go, and those that matter soon return.
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

// With the GIL held, so that no window begins twice.
void notice_growth(PyMemState& state, const AgentMemory& memory, std::int64_t time) {
    if (state.hooks != static_cast<std::uint32_t>(PyMemHooks::out)) return;
    const std::uint64_t arenas = memory.arena_bytes;
    state.seen = std::min(state.seen, arenas);
    if (arenas < state.seen + worth_a_window || time < state.next_window) return;
    state.seen = arenas;
    begin_window(state, time);
}

bool prepare(format::AgentSlot& own) {
    const RunningPython python = python_version();
    if (!python.lines || python.free_threaded || !find_pymem()) return false;
    if (pymem_state == nullptr)
        pymem_state = static_cast<PyMemState*>(wiped_on_fork(sizeof(PyMemState)));
    if (pymem_state == nullptr) return false;
    if (pymem_state->random == 0) {
        find_printed_types();
        pymem_state->random = static_cast<std::uint64_t>(now()) | 1U;
        pymem_state->interval = widest;
        pymem_state->window_ns = first_look;
        pymem_state->seen = own.memory.arena_bytes;
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

void arena_counted(HeapState& heap, AgentMemory& memory, std::uint64_t address, std::uint64_t size,
                   std::uint16_t asker) {
    PyMemState* state = pymem_state;
    if (state == nullptr || state->random == 0) return;
    const FreshArena arena{address, size, now(), asker};
    notice_growth(*state, memory, arena.time);
    if (state->fresh_count < PyMemState::fresh_capacity) state->fresh[state->fresh_count++] = arena;
    // The last watch showed which lines' objects stay; the next one may show something else.
    const std::uint64_t evidence = evidence_in_all(*state);
    if (evidence > 0 && takes_part(*state, memory, asker))
        give_arena(heap, memory, *state, arena, evidence);
}

void pymem_turn(std::int64_t time) {
    PyMemState& state = *pymem_state;
    if (state.hooks == static_cast<std::uint32_t>(PyMemHooks::sampling)) {
        if (time < state.window_end) return;
        state.window_end = time;
        state.watch_end = time + (state.window_ns < shortest_window ? first_watch : watch_time);
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

std::uint64_t live_memory() {
    const format::AgentSlot* own = slot();
    return counting() && own != nullptr ? own->memory.live_bytes : 0;
}

void python_tick() {
    const Busy inside;
    find_python_allocator();
    format::AgentSlot* own = slot();
    if (!counting() || own == nullptr || !prepare(*own)) return;
    const std::int64_t time = now();
    pymem_turn(time);
    notice_growth(*pymem_state, own->memory, time);
}

}  // namespace holdfast::agent
