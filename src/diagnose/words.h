// Figures and names as people read them, the same in every rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/death.h"
#include "model/finding.h"

namespace holdfast {

// "train.py (pid 4242)": short, without the directory of the interpreter.
std::string who(const Death& death);
std::string short_command(std::string_view command);

// "498 MiB of 512 MiB (97 %)"
std::string part_of(Bytes part, Bytes whole);

// "oom_kill 0 -> 1"
std::string moved(std::string_view name, std::uint64_t from, std::uint64_t to);

// The exit status as an observation: {"exit status", "SIGKILL"}.
Observation status_of(const Death& death);

// "the limit of /docker/abc"
std::string limit_name(const CgroupLevel& level);

// A round amount at least half as large again: what to try next when the real need is unknown.
Bytes roomier(Bytes limit);

// Lowers a confidence, never raises it.
Confidence at_most(Confidence confidence, Confidence bound);

// A finding about this death, with its place in the user's code and its exit status as evidence.
Finding finding_about(const Death& death, CauseId cause, Confidence confidence,
                      std::string summary);

}  // namespace holdfast
