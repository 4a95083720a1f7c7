// All figures by which a wait counts as a stall: while the program lives, when somebody is about to
// be told, and afterwards, when it may explain an end. docs/stalls.md has them as a table.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace holdfast {

// ---- how long without a step is too long, given how long they took so far ----

struct StepLimit {
    Nanos at_least{};
    int times_usual = 0, times_longest = 0;
};

// The figures come from memory that the program writes: none of them may overflow.
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

// Of one core. Threads that poll, and those that wait for the interpreter's lock, use up to this.
inline constexpr double idle_share = 0.05;
inline constexpr double idle_bytes_per_second = 65536;
// One that looks for the interpreter's lock now and then: the whole tree used one part in so many.
inline constexpr int idle_looks_around = 50;

// ---- from when on it is written down, in silence ----

inline constexpr Nanos worth_a_record = std::chrono::seconds(5);
inline constexpr StepLimit worth_a_look{std::chrono::seconds(5), 10, 1};

// ---- while it lives: when it is told ----

// What a proven deadlock is given; every weaker sign gets a multiple of it.
inline constexpr Nanos usual_patience = std::chrono::seconds(20);
inline constexpr int for_weak_signs = 3;
inline constexpr int for_collectives = 6;
// Steps before this many have no usual length: the first ones compile, allocate, fill caches.
inline constexpr std::uint64_t enough_steps = 5;
constexpr StepLimit waiting_without_a_step(Nanos patience) { return {times(patience, 3), 30, 3}; }
// A validation or a compilation looks just like a busy stall.
constexpr StepLimit busy_without_a_step(Nanos patience) { return {times(patience, 15), 100, 5}; }
// It has to last longer than all the training before it, too, or than this.
inline constexpr Nanos longest_training = std::chrono::hours(2);

// ---- afterwards: when it may explain why somebody ended the program ----

// Somebody lost patience before we did, so less is asked for than while it lives.
inline constexpr Nanos proven_at_the_end = std::chrono::seconds(5);
inline constexpr Nanos likely_at_the_end = std::chrono::seconds(10);
inline constexpr std::uint64_t enough_steps_at_the_end = 3;
inline constexpr StepLimit without_a_step_at_the_end{std::chrono::seconds(10), 20, 2};
// The supervisor looks every second: a stall that was seen until so long before the end lasted.
inline constexpr Nanos seen_before_the_end = std::chrono::seconds(10);
// What moved only because it was asked to stop did not move before.
inline constexpr Nanos moved_by_the_end = std::chrono::seconds(2);

}  // namespace stall_thresholds
}  // namespace holdfast
