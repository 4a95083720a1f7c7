#include "agent/heap/sampling.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/box/slot.h"
#include "agent/heap/heap.h"
#include "agent/heap/random.h"
#include "agent/heap/state.h"

namespace holdfast::agent {

constinit thread_local ThreadBudget thread_budget{};

namespace {

constexpr std::uint64_t idle_grant = 64U << 20U;
constexpr std::uint64_t early_grant = 16U << 10U;
// Less than a large block, so that each of those is a visit.
constexpr std::uint64_t most_granted = large_block - 1;

void grant(std::uint64_t bytes) { thread_budget.left = thread_budget.granted = bytes; }

// First visit of a thread, or of the only thread of a forked child.
void seed(std::uint32_t epoch, std::uint64_t interval) {
    ThreadBudget& mine = thread_budget;
    const long tid = ::syscall(SYS_gettid);
    mine.random = (static_cast<std::uint64_t>(now()) ^ static_cast<std::uint64_t>(tid) << 40U) *
                      0x9E3779B97F4A7C15ULL |
                  1U;
    random_bits(mine.random);
    mine.main_thread = tid == ::getpid();
    mine.epoch = epoch;
    mine.interval = interval;
    mine.until_sample = random_below(mine.random, interval);
    grant(0);
}

// Moves on by `bytes`, and returns what the sampling points on the way stand for.
std::uint64_t pass_over(std::uint64_t bytes) {
    ThreadBudget& mine = thread_budget;
    std::uint64_t weight = 0;
    while (bytes > mine.until_sample) {
        bytes -= mine.until_sample;
        weight += mine.interval;
        mine.until_sample = sampling_distance(mine.random, mine.interval);
    }
    mine.until_sample -= bytes;
    return weight;
}

}  // namespace

void let_pass() { grant(most_granted); }

std::uint64_t visit(std::size_t size) {
    if (busy) return 0;
    if (!counting()) {
        // load.cc looks for a libpython that comes late; a process without Python stops here.
        if (on_sample == nullptr) {
            grant(idle_grant);
            return 0;
        }
        grant(most_granted);
        const Busy inside;
        static std::int64_t next_look = 0;  // a race here costs one look too many
        const std::int64_t time = now();
        if (time < next_look) return 0;
        next_look = time + 250'000'000;
        on_sample();
        return 0;
    }
    const Busy inside;
    HeapState* state = heap_state();
    if (state == nullptr || take_slot() == nullptr) {
        grant(idle_grant);
        return 0;
    }
    const std::uint64_t interval = state->interval.load(std::memory_order_relaxed);
    ThreadBudget& mine = thread_budget;
    if (mine.epoch != heap_epoch()) seed(heap_epoch(), interval);
    const std::int64_t time = now();
    const std::uint64_t before = mine.granted - mine.left;  // spent by requests without a visit

    std::uint64_t weight = 0;
    if (size >= interval) {
        weight = size;  // always counted, and costs the others no budget
        mine.until_sample -= before;
    } else {
        weight = pass_over(before + size);
    }
    if (mine.interval != interval) {
        // The remaining share of the way to the next sample stays the same.
        mine.until_sample = static_cast<std::uint64_t>(static_cast<double>(mine.until_sample) *
                                                       static_cast<double>(interval) /
                                                       static_cast<double>(mine.interval));
        mine.interval = interval;
    }
    if (weight != 0) spend_effort(*state, effort_to_count);
    housekeeping(*state, time);
    const bool early = time < state->early_until.load(std::memory_order_relaxed);
    const std::uint64_t most = early ? early_grant : most_granted;
    grant(mine.until_sample < most ? mine.until_sample : most);
    return weight;
}

}  // namespace holdfast::agent
