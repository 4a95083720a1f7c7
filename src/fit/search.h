// The largest batch that fits, from a few captures.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "fit/batch_family.h"
#include "fit/planner.h"
#include "fit/replay.h"

namespace holdfast::fit {

struct Largest {
    std::optional<std::uint64_t> batch;  // nothing: not even one sample fits
    bool bound = false;                  // the search ended before the memory did
};

// Captures at the answer, too: there the numbers are no extrapolation any more.
Result<Largest> largest_batch(CaptureSource& source, BatchFamily& family,
                              const Workspaces& workspaces, const ReplayOptions& options,
                              std::uint64_t start);

}  // namespace holdfast::fit
