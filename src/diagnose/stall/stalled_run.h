// A run that does not move, or did not move when it was stopped: the verdict says so.
#pragma once

#include "diagnose/autopsy.h"
#include "diagnose/judgement.h"

namespace holdfast {

// Makes the stall the root of a judgement that has no other root; leaves any other judgement
// unchanged.
void settle_stall(Judgement& judgement, const Autopsy& death);

}  // namespace holdfast
