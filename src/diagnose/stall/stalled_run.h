// A run that does not move, or did not move when it was stopped: the verdict says so.
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

// A run that does not move because the guard refused it memory: the refusal that came just before
// the standstill; nothing: there was none.
std::optional<Finding> refusal_before(const Autopsy& death, const Standstill& stand);

}  // namespace holdfast
