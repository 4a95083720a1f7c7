#include "agent/heap/pymem_samples.h"

#include <cstring>

#include "agent/base/clock.h"
#include "agent/box/slot.h"
#include "agent/heap/pymem_hooks.h"
#include "agent/heap/pymem_print.h"
#include "agent/heap/random.h"

namespace holdfast::agent {

PyMemState* pymem_state = nullptr;

namespace {

constexpr std::uint32_t mask = PyMemState::object_capacity - 1;

std::uint32_t home(const void* object) {
    return static_cast<std::uint32_t>(object_hash(object) >> 20U) & mask;
}
std::uint32_t home(const SampledObject& object) {
    return home(reinterpret_cast<const void*>(object.address));
}
std::uint8_t& filter_of(PyMemState& state, std::uint64_t address) {
    return state.filter[object_hash(reinterpret_cast<const void*>(address)) >> 51U];
}

void insert(PyMemState& state, const SampledObject& object) {
    std::uint32_t at = home(object);
    while (state.objects[at].address != 0) at = (at + 1) & mask;
    state.objects[at] = object;
    ++state.object_count;
    std::uint8_t& filter = filter_of(state, object.address);
    if (filter < UINT8_MAX) ++filter;  // a full one stays so: it only costs a look
}

void remove_at(PyMemState& state, std::uint32_t at) {
    std::uint8_t& filter = filter_of(state, state.objects[at].address);
    if (filter < UINT8_MAX) --filter;
    std::uint32_t hole = at;
    for (std::uint32_t probe = (at + 1) & mask; state.objects[probe].address != 0;
         probe = (probe + 1) & mask) {
        if (((probe - home(state.objects[probe])) & mask) < ((probe - hole) & mask)) continue;
        state.objects[hole] = state.objects[probe];
        hole = probe;
    }
    state.objects[hole] = SampledObject{};
    --state.object_count;
}

// Half of them, standing for all.
void thin(PyMemState& state) {
    for (SampledObject& object : state.objects)
        object.weight = (random_bits(state.random) >> 63U) != 0 ? object.weight * 2 : 0;
    for (std::uint32_t at = 0; at <= mask;) {
        if (state.objects[at].address != 0 && state.objects[at].weight == 0)
            remove_at(state, at);
        else
            ++at;
    }
    state.interval *= 2;
}

std::uint64_t hash_of(const format::AgentStack& stack) {
    std::uint64_t hash = 1469598103934665603ULL;
    for (const std::uint16_t frame : stack.frames) hash = (hash ^ frame) * 1099511628211ULL;
    return hash | 1U;
}

// Where it stands, or the free place where it would; line_capacity: no room.
std::uint32_t place_of(const PyMemState& state, std::uint64_t hash) {
    std::uint32_t at = static_cast<std::uint32_t>(hash >> 32U) % PyMemState::line_capacity;
    for (std::uint32_t tries = 0; tries < PyMemState::line_capacity; ++tries) {
        if (state.lines[at].hash == hash || state.lines[at].hash == 0) return at;
        at = (at + 1) % PyMemState::line_capacity;
    }
    return PyMemState::line_capacity;
}

// The number of this stack among the lines, added on first sight, or line_capacity: no room.
std::uint32_t line_of(PyMemState& state, const format::AgentStack& stack) {
    const std::uint64_t hash = hash_of(stack);
    const std::uint32_t at = place_of(state, hash);
    if (at < PyMemState::line_capacity && state.lines[at].hash == 0) {
        state.lines[at].hash = hash;
        state.lines[at].stack = stack;
    }
    return at;
}

// The next allocation after a sample: by now the object has its type and its content, unless it is
// gone already.
void print_last(PyMemState& state) {
    const std::uint64_t address = state.unprinted;
    state.unprinted = 0;
    state.lock.lock();
    for (std::uint32_t at = home(reinterpret_cast<const void*>(address));
         state.objects[at].address != 0; at = (at + 1) & mask)
        if (state.objects[at].address == address)
            state.objects[at].print = object_print(address, state.unprinted_size);
    state.lock.unlock();
}

bool describe_caller(format::AgentStack& stack) {
    HeapState* heap = heap_state();
    if (heap == nullptr) return false;
    Asker asker;
    asker.count = own_frames(asker.frames, Asker::most);
    if (asker.count == 0) return false;
    for (int i = 0; i < 200; ++i) {
        if (!heap->lock.try_lock()) continue;
        const bool named = heap->index.describe_asker(asker, true, stack);
        heap->lock.unlock();
        return named;
    }
    return false;
}

}  // namespace

std::uint32_t known_line(const PyMemState& state, const format::AgentStack& stack) {
    const std::uint32_t at = place_of(state, hash_of(stack));
    return at < PyMemState::line_capacity && state.lines[at].hash != 0 ? at
                                                                       : PyMemState::line_capacity;
}

void sample_object(void* object, std::size_t size) {
    PyMemState& state = *pymem_state;
    if (state.hooks != static_cast<std::uint32_t>(PyMemHooks::sampling)) {
        state.budget = INT64_MAX;
        // A child of fork inherits the installed hooks and needs none.
        if (state.hooks == 0) set_pymem_hooks(PyMemHooks::out);
        return;
    }
    const bool again = state.unprinted != 0;
    if (busy) return;
    const Busy inside;
    if (again) {
        print_last(state);
        state.budget = static_cast<std::int64_t>(sampling_distance(state.random, state.interval));
        return;
    }
    state.budget = 0;
    const std::int64_t time = now();
    if (time >= state.window_end) {
        pymem_turn(time);
        return;
    }
    format::AgentStack stack;
    if (!describe_caller(stack)) return;
    state.lock.lock();
    if (state.object_count >= PyMemState::object_capacity / 4 * 3) thin(state);
    const std::uint32_t line = line_of(state, stack);
    if (line < PyMemState::line_capacity) {
        SampledObject fresh;
        fresh.address = reinterpret_cast<std::uintptr_t>(object);
        fresh.weight = static_cast<std::uint32_t>(state.interval);
        fresh.line = static_cast<std::uint16_t>(line);
        ++state.lines[line].made;
        insert(state, fresh);
        state.unprinted = fresh.address;
        state.unprinted_size = size;
    }
    state.lock.unlock();
}

void check_time() {
    if (busy) return;
    const Busy inside;
    pymem_turn(now());
}

bool forget_object(void* object, SampledObject* out) {
    PyMemState& state = *pymem_state;
    const Busy inside;
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    bool found = false;
    state.lock.lock();
    for (std::uint32_t at = home(object); state.objects[at].address != 0; at = (at + 1) & mask) {
        if (state.objects[at].address != address) continue;
        if (out != nullptr) *out = state.objects[at];
        remove_at(state, at);
        found = true;
        break;
    }
    state.lock.unlock();
    return found;
}

void object_back(void* object, const SampledObject& was) {
    PyMemState& state = *pymem_state;
    const Busy inside;
    SampledObject moved = was;
    moved.address = reinterpret_cast<std::uintptr_t>(object);
    state.lock.lock();
    if (state.object_count < PyMemState::object_capacity / 4 * 3) insert(state, moved);
    state.lock.unlock();
}

void clear_objects(PyMemState& state) {
    state.lock.lock();
    std::memset(state.filter, 0, sizeof state.filter);
    std::memset(static_cast<void*>(state.objects), 0, sizeof state.objects);
    state.object_count = 0;
    state.lock.unlock();
}

}  // namespace holdfast::agent
