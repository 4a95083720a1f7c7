// Signals that reached the program through the supervisor, seen before its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/death/death.h"

namespace holdfast {

// How long a program may take to save its work after somebody asked it to stop.
inline constexpr Nanos grace{120'000'000'000};

// The last one of that number before the end, at most `within` earlier. For the end that decided
// the run, one that reached the program; for another process, one that its own agent recorded.
const SignalSeen* signal_before_end(const Death& death, int number, Nanos within = grace);

// The request to stop (SIGTERM, SIGINT, SIGHUP) after which the program soon failed.
const SignalSeen* asked_to_stop(const Death& death);

// Whether the sender's program is called `name`.
bool sent_by(const SignalSeen& signal, std::string_view name);

// "torchrun", "Slurm": the launcher that sent it and stops its ranks by itself; empty: another
// sender. An agent notes only the sender's program; the rest of its command is known if it is ours.
std::string_view launcher_of(const Evidence& evidence, const SignalSeen& signal);

}  // namespace holdfast
