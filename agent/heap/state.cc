// Creates the counting state once; in every child of fork it is empty again.
#include "agent/heap/state.h"

#include "agent/base/clock.h"
#include "agent/base/private_memory.h"
#include "agent/heap/heap.h"
#include "agent/heap/pymem.h"
#include "agent/heap/sampling.h"

namespace holdfast::agent {

void (*on_sample)() = nullptr;

constinit std::atomic<HeapState*> heap_made{nullptr};

namespace {

std::atomic<std::uint32_t> epoch{0};

constexpr std::int64_t early_time = 1'000'000'000;

}  // namespace

std::uint32_t heap_epoch() { return epoch.load(std::memory_order_relaxed); }

HeapState* heap_state() {
    HeapState* state = heap_made.load(std::memory_order_acquire);
    if (state == nullptr) return nullptr;
    std::uint32_t stage = state->stage.load(std::memory_order_acquire);
    if (stage == 2) return state;
    if (stage != 0 || !state->stage.compare_exchange_strong(stage, 1)) return nullptr;
    const bool first = epoch.fetch_add(1) == 0;
    if (!first) forget_counted_pages();
    const std::int64_t time = now();
    state->random = static_cast<std::uint64_t>(time) | 1U;
    state->interval.store(base_interval);
    state->least_interval.store(base_interval);
    state->period_end.store(time);
    state->next_window.store(time);
    state->gpu_allocated.store(format::unknown);
    // A forked child has the interpreter's hooks already.
    state->early_until.store(first ? time + early_time : 0);
    state->stage.store(2, std::memory_order_release);
    return state;
}

void start_counting() {
    if (counting()) return;
    find_next_allocator();
    find_python_allocator();
    auto* memory = static_cast<HeapState*>(wiped_on_fork(sizeof(HeapState)));
    if (memory == nullptr) return;
    heap_made.store(memory, std::memory_order_release);
    thread_budget.left = thread_budget.granted = 0;
}

void stop_counting() {
    on_sample = nullptr;
    heap_made.store(nullptr, std::memory_order_release);
}

HeapLock::HeapLock(HeapState& state, int patience) : state_(state) {
    if (busy_.nested()) patience = 0;  // this thread may hold the lock already
    for (int i = 0; i < patience && !held_; ++i) {
        held_ = state.lock.try_lock();
        if (!held_ && i >= 64) ::sched_yield();
    }
}

HeapLock::~HeapLock() {
    if (held_) state_.lock.unlock();
}

}  // namespace holdfast::agent
