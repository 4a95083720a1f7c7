// Makes the verdict say that a run does not move, or did not move when it was stopped.
#pragma once

#include <optional>

#include "diagnose/autopsy.h"
#include "diagnose/finding.h"
#include "diagnose/judgement.h"
#include "diagnose/stall/standstill.h"

namespace holdfast {

// Makes the stall the root of a judgement that has no other root; leaves any other judgement
// unchanged.
void settle_stall(Judgement& judgement, const Autopsy& death);

// The refusal of the guard that came just before the standstill, and most likely caused it; nothing
// if there was none.
std::optional<Finding> refusal_before(const Autopsy& death, const Standstill& stand);

}  // namespace holdfast
