// Growth in words: "4.2 MiB a step".
#pragma once

#include <string>

#include "model/agent_evidence.h"

namespace holdfast {

std::string rate_of(const GrowthSeen& growth);
// "+4.2 MiB (± 100 KiB) a step over 300 steps, 1.2 GiB in all"
std::string figures_of(const GrowthSeen& growth);

}  // namespace holdfast
