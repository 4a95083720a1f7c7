// The largest batch that fits, from a few captures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fit/capture/batch_family.h"
#include "fit/plan/planner.h"
#include "fit/replay/replay.h"

namespace holdfast::fit {

struct Largest {
    std::optional<std::uint64_t> batch;  // nothing: not even one sample fits
    bool bound = false;                  // the search ended before the memory did
    std::string unverified;              // why the answer itself could not be captured
};

// Also captures at the answer itself, so that its numbers are not extrapolated.
Largest largest_batch(CaptureSource& source, BatchFamily& family, const Workspaces& workspaces,
                      const ReplayOptions& options, std::uint64_t start);

}  // namespace holdfast::fit
