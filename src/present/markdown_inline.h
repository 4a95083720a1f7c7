// Markdown within a paragraph: `code`, *emphasis*, **strong**, [links](address), <address>.
#pragma once

#include <string>
#include <string_view>

#include "present/style.h"

namespace holdfast {

// Marks become colour, word by word so that a line may break anywhere between; without colour the
// backticks stay, because they tell code from prose. An address follows its link's text.
std::string painted_inline(std::string_view text, const Style& style);
// Without marks or colour.
std::string plain_inline(std::string_view text);

}  // namespace holdfast
