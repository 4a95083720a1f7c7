// Remembers by call site whether a request could be refused. Finding out takes a millisecond: a
// refusal asks anew, everything else uses this.
#pragma once

#include "agent/guard/guard_page.h"

namespace holdfast::agent {

// With Busy set. A call site that is not known yet counts as one that survives.
bool probably_survives(GuardState& state, const void* caller, bool zeroed);

}  // namespace holdfast::agent
