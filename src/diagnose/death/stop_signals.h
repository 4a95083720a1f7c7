// Signals that reached the program through the supervisor, seen before its end.
#pragma once

#include <optional>
#include <string>

#include "diagnose/death/death.h"

namespace holdfast {

// How long a program may take to save its work after it was asked to stop.
inline constexpr Nanos grace{120'000'000'000};

// The last one of that number before the end, at most `within` earlier.
const SignalSeen* signal_before_end(const Death& death, int number, Nanos within = grace);

// A request to stop (SIGTERM, SIGINT, SIGHUP) that the program failed soon after.
const SignalSeen* asked_to_stop(const Death& death);

// Whether the sender's program is called `name`.
bool sent_by(const SignalSeen& signal, std::string_view name);

}  // namespace holdfast
