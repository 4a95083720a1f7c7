// Memory against its limit over time, drawn with block characters.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.h"
#include "present/style.h"

namespace holdfast {

// Lines of at most `width` columns; none when there is nothing to draw.
std::vector<std::string> draw_curve(const MemorySummary& memory, const Style& style, int width);

}  // namespace holdfast
