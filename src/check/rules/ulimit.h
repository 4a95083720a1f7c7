// The command that raises a limit of the shell; a different one if the hard limit forbids it.
#pragma once

#include <cstdint>
#include <optional>

#include "check/environment.h"
#include "model/statement.h"

namespace holdfast::check::rules {

struct Ulimit {
    char flag;               // of the shell's ulimit
    const char* resource;    // of prlimit(1)
    std::uint64_t unit = 1;  // what the shell counts in
};

// `wanted`: nothing for unlimited.
Fix raised(const Environment& environment, const sources::Limit& limit, const Ulimit& which,
           std::optional<std::uint64_t> wanted = std::nullopt);

}  // namespace holdfast::check::rules
