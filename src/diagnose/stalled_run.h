// A run that does not move, or did not move when it was stopped: the verdict says so.
#pragma once

#include "diagnose/death.h"
#include "model/verdict.h"

namespace holdfast {

// Makes the stall the root of a verdict that is complete but for it; leaves any other as it is.
void settle_stall(Verdict& verdict, const Death& death);

}  // namespace holdfast
