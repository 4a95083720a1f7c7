// Recognises what Holdfast itself printed into a program's log, which is no evidence.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// The text without our lines and panels. `text` is printable: no escape sequences.
std::string without_own_lines(std::string_view text);

}  // namespace holdfast
