// One line for the user about the guard's first crossing.
#pragma once

#include <string>

#include "supervise/headroom_page.h"

namespace holdfast {

// The program has not moved since it was refused memory; nothing: it is not ended for that.
std::string stuck_words(Nanos lasted, const std::string& place, std::optional<Nanos> grace);

std::string words_about(const GuardCrossing& crossing, format::GuardMode mode);

}  // namespace holdfast
