// One line for the user about the guard's first crossing.
#pragma once

#include <string>

#include "supervise/headroom_page.h"

namespace holdfast {

std::string words_about(const GuardCrossing& crossing, format::GuardMode mode);

}  // namespace holdfast
