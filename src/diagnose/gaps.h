// What could not be seen, and would have helped the verdict.
#pragma once

#include <vector>

#include "diagnose/autopsy.h"

namespace holdfast {

// What the supervisor could not see, and what the rules lacked for this death.
std::vector<Missing> gaps(const Autopsy& death);

}  // namespace holdfast
