// The answer: does it fit, what is the largest batch, where does the memory go, what would help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/confidence.h"
#include "fit/capture/host_memory.h"
#include "fit/replay/anatomy.h"

namespace holdfast::fit {

inline constexpr int plan_schema = 1;  // of its JSON

struct Way {
    std::string name;  // "accumulate-2", "bf16", ...
    std::string text;  // what to change
    std::string code;
    Bytes peak_reserved;
    Bytes saves;
    bool fits = false;
    std::string note;  // what else changes
};

struct Plan {
    bool fits = false;
    Confidence confidence = Confidence::unknown;
    std::uint64_t batch = 0;  // 0: not known
    Bytes capacity;           // of the GPU, as torch reports it
    Bytes peak_reserved, peak_allocated, peak_requested;
    Bytes least_reserved, most_reserved;  // over the orders in which a driver may place segments
    std::int64_t margin = 0;              // capacity less reserved and context; negative: missing
    bool estimate = false;                // from small runs on a CPU, not from a capture
    double band = 0;                      // share of the peak by which the figure may be off
    std::uint64_t retries = 0;
    std::optional<std::uint64_t> largest_batch;
    bool largest_is_bound = false;  // the search ended before the memory did
    Anatomy anatomy;
    std::optional<HostMemory> host;  // absent: no DataLoader was seen
    std::vector<Way> ways;
    std::vector<std::string> missing;
    std::string device;
    std::string torch;
    std::string allocator;  // its options, as given
};

std::string plan_json(const Plan& plan);

}  // namespace holdfast::fit
