// The command that raises a limit of the shell; another command if the hard limit forbids that.
#pragma once

#include <cstdint>
#include <optional>

#include "check/environment.h"
#include "model/statement.h"

namespace holdfast::check::rules {

struct Ulimit {
    char flag;               // of the shell's ulimit
    const char* resource;    // option of prlimit(1)
    std::uint64_t unit = 1;  // the unit in which the shell counts
};

// `wanted`: nothing means unlimited.
Fix raised(const Environment& environment, const sources::Limit& limit, const Ulimit& which,
           std::optional<std::uint64_t> wanted = std::nullopt);

}  // namespace holdfast::check::rules
