// What the verdict would have needed and could not see.
#pragma once

#include <vector>

#include "diagnose/autopsy.h"

namespace holdfast {

// What the collector could not see, and what the rules lacked for this death in particular.
std::vector<Missing> gaps(const Autopsy& death);

}  // namespace holdfast
