// How fast captures are replayed: what makes a search over batches instant.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "fit/replay/replay.h"

namespace holdfast::fit {

struct Speed {
    std::uint64_t steps = 0;  // of training in one replay
    std::uint64_t moves = 0;  // allocations, frees and marks in one replay
    std::uint64_t replays = 0;
    Replayed replayed;  // what they found: all of them the same
    Nanos replay;       // CPU time of one, the median
    Nanos compile;      // CPU time of turning a capture into moves, the median

    double steps_per_second() const {
        return replay.count() > 0 ? static_cast<double>(steps) / seconds(replay) : 0;
    }
};

// Replays for about this much CPU time, at least three times.
Speed measure_speed(const Capture& capture, const Workspaces& workspaces,
                    const ReplayOptions& options, Nanos budget);

}  // namespace holdfast::fit
