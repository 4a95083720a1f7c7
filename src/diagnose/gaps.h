// What the verdict would have needed and could not see.
#pragma once

#include <vector>

#include "diagnose/death.h"

namespace holdfast {

// What the collector could not see, and what the rules missed for this death in particular.
std::vector<Missing> gaps(const Death& death);

}  // namespace holdfast
