// Where in the user's own code a death happened.
#pragma once

#include <optional>

#include "diagnose/death.h"
#include "model/finding.h"

namespace holdfast {

// As far as its last words say: a traceback, its crash record, or faulthandler's dump.
std::optional<Where> where_it_died(const Death& death);

}  // namespace holdfast
