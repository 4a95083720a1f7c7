// A run that does not move, or did not move when it was stopped: the verdict says so.
#pragma once

#include "diagnose/autopsy.h"
#include "diagnose/judgement.h"

namespace holdfast {

// Makes the stall the root of a judgement that is complete but for it; leaves any other as it is.
void settle_stall(Judgement& judgement, const Autopsy& death);

}  // namespace holdfast
