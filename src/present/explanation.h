// A page of causes/ on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "present/style.h"

namespace holdfast {

// Knows the Markdown those pages use: headings, paragraphs, bullet and numbered lists, fenced code,
// `code`, *emphasis*, [links](address), tables as they are. Anything else is shown unchanged.
std::string explanation(std::string_view markdown, const Style& style);

}  // namespace holdfast
