// Changes that would make the step fit: each is captured and replayed, none is estimated.
#pragma once

#include <vector>

#include "fit/plan/planner.h"

namespace holdfast::fit {

// Ranked: those that make it fit and change the training least come first. If a way is not possible
// for this program, the plan's `missing` says so.
std::vector<Way> find_ways(CaptureSource& source, const PlanRequest& request,
                           const Workspaces& workspaces, Plan& plan);

}  // namespace holdfast::fit
