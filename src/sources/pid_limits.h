// /proc/PID/limits: the resource limits of a process, soft and hard.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace holdfast::sources {

struct Limit {
    bool known = false;  // the line was there
    // Absent, though known: unlimited.
    std::optional<std::uint64_t> soft, hard;
};

struct PidLimits {
    Limit cpu_seconds;
    Limit file_size;  // bytes, as all sizes here
    Limit data;
    Limit stack;
    Limit core;
    Limit processes;  // counted per user, over the whole machine
    Limit open_files;
    Limit locked;
    Limit address_space;
};

Result<PidLimits> parse_pid_limits(std::string_view text);
Result<PidLimits> read_pid_limits(int process_dir);

}  // namespace holdfast::sources
