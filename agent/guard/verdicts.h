// Whether those who asked a moment ago could be refused, remembered by where they asked. To find
// out takes a millisecond, so for a refusal it is asked anew, and for everything else this must do.
#pragma once

#include "agent/guard/page.h"

namespace holdfast::agent {

// With Busy set. Whoever is not known yet is taken to survive.
bool probably_survives(GuardState& state, const void* caller, bool zeroed);

}  // namespace holdfast::agent
