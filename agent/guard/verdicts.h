// Remembers, by the place of the request, whether recent requests could be refused. Finding out
// takes a millisecond. So it is done again only for a refusal; everything else uses the remembered
// answer.
#pragma once

#include "agent/guard/page.h"
#include "agent/guard/survivors.h"

namespace holdfast::agent {

// With Busy set. An unknown place is assumed to survive.
bool probably_survives(GuardState& state, const void* caller, AskedBy how);

}  // namespace holdfast::agent
