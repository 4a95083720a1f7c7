// A run that does not move because the guard refused it memory.
#pragma once

#include <optional>

#include "diagnose/finding.h"
#include "diagnose/stall/standstill.h"

namespace holdfast {

// The refusal that came just before the standstill; nothing: there was none.
std::optional<Finding> refusal_before(const Autopsy& death, const Standstill& stand);

}  // namespace holdfast
