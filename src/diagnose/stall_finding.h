// What all findings about a stall have in common: since when, how it compares, who waits where.
#pragma once

#include <string>

#include "diagnose/standstill.h"
#include "model/verdict.h"

namespace holdfast {

Finding stall_finding(const Death& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::string summary);

// "for 4 min 10 s"
std::string for_how_long(const Standstill& stand);

// The stacks of everybody in it, the culprit's first.
std::vector<PythonStack> stall_stacks(const Death& death, const Standstill& stand);

}  // namespace holdfast
