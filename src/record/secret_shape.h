// Recognises secrets by their looks: the prefixes vendors give their keys, JSON web tokens.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

// How many bytes at the start of `text` are a secret; 0 when none begins there.
std::size_t secret_shape_length(std::string_view text);

}  // namespace holdfast
