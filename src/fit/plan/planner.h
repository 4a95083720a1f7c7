// Plans a training step: captures it, replays it, searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "fit/capture/capture.h"
#include "fit/plan/plan.h"
#include "fit/replay/allocator_options.h"
#include "fit/workspace/workspaces.h"

namespace holdfast::fit {

// Where captures come from: a Python process, or files.
class CaptureSource {
public:
    virtual ~CaptureSource() = default;
    // `way` is empty for the program as it is; else the name of a change, such as "bf16".
    virtual Result<Capture> capture(std::uint64_t batch, const std::string& way) = 0;
    // Whether a capture can be made at any batch.
    virtual bool any_batch() const = 0;
};

struct PlanRequest {
    std::uint64_t batch = 0;
    Bytes capacity;
    Bytes context;
    AllocatorOptions allocator;
    std::string allocator_text;
    bool largest = true;
    bool ways = true;  // looked for when it does not fit, or always with `all_ways`
    bool all_ways = false;
};

Result<Plan> make_plan(CaptureSource& source, const PlanRequest& request,
                       const Workspaces& workspaces);

}  // namespace holdfast::fit
