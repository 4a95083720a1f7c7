// Changes that would make the step fit: each is captured and replayed, none is estimated.
#pragma once

#include <vector>

#include "fit/plan/planner.h"

namespace holdfast::fit {

// Ranked: those that make it fit and change the training least come first. What a way cannot do for
// this program is told in the plan's `missing`.
std::vector<Way> find_ways(CaptureSource& source, const PlanRequest& request,
                           const Workspaces& workspaces, Plan& plan);

}  // namespace holdfast::fit
