// Text made safe inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// Also clipped to a sane length, and without control characters.
std::string escaped(std::string_view text);

}  // namespace holdfast
