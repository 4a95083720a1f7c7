// Clocks (one orders events, one is shown to people), times as text, and arithmetic on times.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace holdfast {

using Nanos = std::chrono::nanoseconds;

// CLOCK_MONOTONIC: the only clock events are ordered by. The kernel log's stamps are close to it.
Nanos monotonic_now();
// CLOCK_REALTIME since 1970: for people, never for order.
Nanos wall_now();
// CPU time of this thread: what our own work costs. Not wall time: on a busy machine a little work
// takes seconds of that, and we would then pause for minutes.
Nanos own_cpu_now();

// "2026-11-15T04:24:47.120Z"
std::string rfc3339(Nanos wall);
// "850 ms", "12.3 s", "4 min 10 s", "3 h 02 min"
std::string human(Nanos duration);

constexpr double seconds(Nanos d) { return std::chrono::duration<double>(d).count(); }

// Arithmetic without overflow: a time from a file may be any number.
constexpr Nanos later(Nanos time, Nanos by) {
    return time > Nanos::max() - by ? Nanos::max() : time + by;  // `by` is never negative
}
constexpr Nanos earlier(Nanos time, Nanos by) {
    return time < Nanos::min() + by ? Nanos::min() : time - by;
}

// How long from one time to a later one; nothing if the second is earlier.
constexpr Nanos between(Nanos from, Nanos to) {
    if (from >= to) return Nanos{};
    return from < Nanos{} && to > Nanos::max() + from ? Nanos::max() : to - from;
}

}  // namespace holdfast
