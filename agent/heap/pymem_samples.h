// Small Python objects that were sampled and not yet freed, with the line that made them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/spin_lock.h"
#include "agent/heap/state.h"
#include "record/agent_format.h"

namespace holdfast::agent {

inline constexpr std::size_t small_object = 512;  // larger ones come from malloc

struct SampledObject {
    std::uint64_t address = 0;
    std::uint32_t weight = 0;
    std::uint16_t line = 0;
    std::uint16_t print = 0;  // see heap/pymem_print.h
};

// A line that makes small objects, and how much of it stayed.
struct ObjectLine {
    format::AgentStack stack;
    std::uint64_t hash;         // 0: free
    std::uint64_t stayed;       // bytes sampled in the last window that outlived the watch
    std::uint32_t objects;      // as a number of samples
    std::uint32_t arenas;       // charged to it since the last watch ended
    std::uint32_t made;         // samples taken since the last watch ended
    std::uint32_t made_before;  // samples taken between the last two ends of a watch
    std::uint64_t evidence;     // `stayed` over the windows, older ones counting less
};

struct FreshArena {
    std::uint64_t address, size;
    std::int64_t time;
    std::uint16_t asker;  // its site
};

struct PyMemState {
    static constexpr std::uint32_t object_capacity = 4096, line_capacity = 256;
    static constexpr std::uint32_t filter_size = 8192, fresh_capacity = 256;

    SpinLock lock;
    std::uint32_t hooks;      // PyMemHooks, as far as this process is concerned
    std::int64_t budget;      // bytes until the next sample
    std::uint64_t interval;   // between samples
    std::uint64_t unprinted;  // the object sampled last: its content is not there yet
    std::uint64_t unprinted_size;
    std::uint32_t checks;  // frees until the clock is asked
    std::uint64_t random;
    std::int64_t window_begin, window_end, watch_end, next_window;
    std::int64_t window_ns;  // how long one lasts
    std::uint64_t seen;      // size of all arenas when a window began last
    std::uint32_t same_rounds, top_line;
    // Arenas since the last watch ended.
    std::uint32_t fresh_count;
    FreshArena fresh[fresh_capacity];
    std::uint32_t object_count;
    std::uint8_t filter[filter_size];  // how many sampled objects have this hash
    SampledObject objects[object_capacity];
    ObjectLine lines[line_capacity];
};

// Null until made; wiped in a child of fork.
extern PyMemState* pymem_state;

// The number of this stack among the lines, or line_capacity where it is not.
std::uint32_t known_line(const PyMemState& state, const format::AgentStack& stack);
void sample_object(void* object, std::size_t size);
bool forget_object(void* object, SampledObject* out);
void object_back(void* object, const SampledObject& was);
void clear_objects(PyMemState& state);
// Calls visit(object) for each that is still there.
template <class Visit>
void each_object(PyMemState& state, Visit visit) {
    for (const SampledObject& object : state.objects)
        if (object.address != 0) visit(object);
}

// Whether it is time to go on to the next stage; with the GIL held. See pymem.cc.
void pymem_turn(std::int64_t time);
void check_time();

inline std::uint64_t object_hash(const void* object) {
    return (reinterpret_cast<std::uintptr_t>(object) >> 4U) * 0x9E3779B97F4A7C15ULL;
}

// Now and then, from what frees: a program that makes no new objects still has to end a watch.
inline void count_free() {
    if (__builtin_expect(pymem_state->checks-- == 0, 0)) {
        pymem_state->checks = 2048;
        check_time();
    }
}

// The hooks' fast paths. The GIL guards the counters; a subinterpreter with its own may spoil a
// count, never a table.
inline void object_made(void* object, std::size_t size) {
    if (size > small_object || object == nullptr) return;
    pymem_state->budget -= static_cast<std::int64_t>(size);
    if (__builtin_expect(pymem_state->budget < 0, 0)) sample_object(object, size);
}
inline bool object_gone(void* object, SampledObject* out) {
    const std::uint64_t hash = object_hash(object);
    if (__builtin_expect(pymem_state->filter[hash >> 51U] == 0, 1)) return false;
    return forget_object(object, out);
}

}  // namespace holdfast::agent
