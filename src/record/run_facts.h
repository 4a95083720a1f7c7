// What is known about a run from its start: run.json, a small file, written when the run begins and
// again when the command's pid is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace holdfast {

// The batch scheduler that the run belongs to.
struct SchedulerFacts {
    std::string kind;  // "slurm", "kubernetes", ...; empty: none known
    std::string job_id;
    std::optional<std::int64_t> ends_at_wall_seconds;  // since 1970

    friend bool operator==(const SchedulerFacts&, const SchedulerFacts&) = default;
};

// Where the program's stderr went, and so where to find its last words.
struct OutputCapture {
    enum class Kind { none, relay, file, terminal };

    Kind kind = Kind::none;
    std::string path;  // file: only for people; device and inode identify it
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t from_offset = 0;  // file: its size when the run began

    friend bool operator==(const OutputCapture&, const OutputCapture&) = default;
};

struct RunFacts {
    std::string id;
    std::string name;                  // --name, may be empty
    std::vector<std::string> command;  // masked
    std::string cwd;
    std::string host;
    std::string kernel;
    std::string holdfast_version;
    std::string boot_id;  // /proc/sys/kernel/random/boot_id
    Nanos started{};      // monotonic, of that boot
    Nanos started_wall{};
    int supervisor_pid = 0;
    std::uint64_t supervisor_start_ticks = 0;
    int command_pid = 0;  // 0 until it is known
    std::uint64_t command_start_ticks = 0;
    bool in_first_pid_namespace = false;
    std::optional<int> overcommit_mode;
    std::optional<std::uint64_t> max_map_count;
    double cpu_count = 0;
    SchedulerFacts scheduler;
    OutputCapture output;

    friend bool operator==(const RunFacts&, const RunFacts&) = default;
};

inline constexpr std::size_t run_facts_limit = 64U << 10U;  // bytes of run.json

// Never longer than run_facts_limit: cuts long commands and texts and ends them in "...".
std::string to_json(const RunFacts& facts);
// Trusts nothing: checks size, depth, types and ranges. An error is one line.
Result<RunFacts> run_facts_from_json(std::string_view text);

}  // namespace holdfast
