// Two clocks: one to order events by, one to tell people when.
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

// "2026-11-15T04:24:47.120Z"
std::string rfc3339(Nanos wall);
// "850 ms", "12.3 s", "4 min 10 s", "3 h 02 min"
std::string human(Nanos duration);

constexpr double seconds(Nanos d) { return std::chrono::duration<double>(d).count(); }

}  // namespace holdfast
