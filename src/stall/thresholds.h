// All figures by which a wait counts as a stall: while the program lives, before the user is told,
// and afterwards, as the reason of an end. docs/stalls.md has them as a table.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace holdfast {

// ---- how long without a step is too long, given how long earlier steps took ----

struct StepLimit {
    Nanos at_least{};
    int times_usual = 0, times_longest = 0;
};

// Saturates: the figures come from memory that the program writes.
constexpr Nanos times(Nanos length, int factor) {
    if (length <= Nanos{}) return {};
    return length > Nanos::max() / factor ? Nanos::max() : length * factor;
}
// `usual` and `longest`: from one step to the next; zero where they are not known.
constexpr Nanos too_long(const StepLimit& limit, Nanos usual, Nanos longest) {
    return std::max(
        {limit.at_least, times(usual, limit.times_usual), times(longest, limit.times_longest)});
}

namespace stall_thresholds {

// ---- what counts as quiet ----

// Of one core. Threads that poll or wait for the GIL use up to this.
inline constexpr double idle_share = 0.05;
inline constexpr double idle_bytes_per_second = 65536;
// Threads that ask for the GIL now and then: the whole tree used less than this part (1 of N).
inline constexpr int idle_looks_around = 50;

// ---- from when on a stall is recorded, without telling the user ----

inline constexpr Nanos worth_a_record = std::chrono::seconds(5);
inline constexpr StepLimit worth_a_look{std::chrono::seconds(5), 10, 1};

// ---- while the program lives: when the user is told ----

// How long a proven deadlock is watched; a weaker sign must last a multiple of it.
inline constexpr Nanos usual_patience = std::chrono::seconds(20);
inline constexpr int for_weak_signs = 3;
inline constexpr int for_collectives = 6;
// Fewer steps than this have no usual length: the first ones compile, allocate, fill caches.
inline constexpr std::uint64_t enough_steps = 5;
constexpr StepLimit waiting_without_a_step(Nanos patience) { return {times(patience, 3), 30, 3}; }
// Long, because a validation or a compilation looks just like a busy stall.
constexpr StepLimit busy_without_a_step(Nanos patience) { return {times(patience, 15), 100, 5}; }
// A busy stall must also last longer than all the training before it, or than this.
inline constexpr Nanos longest_training = std::chrono::hours(2);

// ---- afterwards: when it may explain why somebody ended the program ----

// Somebody lost patience before we did, so less is asked for than while it lives.
inline constexpr Nanos proven_at_the_end = std::chrono::seconds(5);
inline constexpr Nanos likely_at_the_end = std::chrono::seconds(10);
inline constexpr std::uint64_t enough_steps_at_the_end = 3;
inline constexpr StepLimit without_a_step_at_the_end{std::chrono::seconds(10), 20, 2};
// A program whose steps nobody counts: how long it wrote nothing, given how often it wrote before,
// while it never left one `while`. The longest time is measured from look to look; a slow epoch
// among quick ones must not reach this.
inline constexpr StepLimit without_a_write{std::chrono::seconds(15), 20, 5};
inline constexpr std::uint64_t enough_writes = 4;
// Of these looks, none found the main thread out of the loop, and so many found it at different
// instructions: otherwise it may be in a single call.
inline constexpr std::size_t looks_in_a_loop = 8;
inline constexpr std::size_t places_in_a_loop = 3;
// How often the loop around it must have turned and written before.
inline constexpr std::size_t turns_before_a_loop = 2;
// The part of the time that the main thread ran or waited for a core. One that waits for something
// else, now and then, has less.
inline constexpr double running_share = 0.7;

// Full pressure of memory, in percent of the time: a wait for the disk may then be one for swap.
inline constexpr int waits_for_swap = 10;
// A forked child that used no more CPU time than this went nowhere after the fork.
inline constexpr Nanos idle_since_fork = std::chrono::seconds(1);
// A worker that died this shortly after its parent began to wait died before that: what the pool
// does meanwhile looks like movement.
inline constexpr Nanos lost_worker_noticed = std::chrono::seconds(15);
// Likewise for a thread that ended with an exception; or nothing moved for so long after it.
inline constexpr Nanos lost_thread_noticed = std::chrono::seconds(2);
inline constexpr Nanos nothing_after_lost_thread = std::chrono::seconds(10);
// So many workers in a row that were OOM-killed, the last one so shortly before the end, and no
// step: processes come and go, but no work gets done.
inline constexpr int workers_killed_in_a_row = 4;
inline constexpr Nanos last_killed_before_the_end = std::chrono::seconds(10);

// The supervisor looks every second: a stall that was seen this shortly before the end lasted until
// then.
inline constexpr Nanos seen_before_the_end = std::chrono::seconds(10);
// What moved only this shortly before the end moved because it was asked to stop.
inline constexpr Nanos moved_by_the_end = std::chrono::seconds(2);

}  // namespace stall_thresholds
}  // namespace holdfast
