// Text made safe inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// Also clipped to a sane length, and without control characters.
std::string escaped(std::string_view text);

// The same, with `names` in backticks as code.
std::string escaped_with_code(std::string_view text);

}  // namespace holdfast
