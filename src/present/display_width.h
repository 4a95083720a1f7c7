// How many columns text takes on a terminal: approximately what wcwidth says, without a locale.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

// The next code point, consumed from `rest`, which must not be empty. A byte that is not UTF-8
// counts as U+FFFD.
char32_t next_code_point(std::string_view& rest);

// 0 for combining marks and other invisible characters, 2 for East Asian wide and emoji, else 1.
int column_width(char32_t code_point);

// Colour sequences (ESC [ ... m), as paint.h writes them, take no room.
int display_width(std::string_view text);

// Length in bytes of the colour sequence `text` begins with, or 0.
std::size_t colour_length(std::string_view text);

}  // namespace holdfast
