// A line of code as people name it.
#pragma once

#include <optional>
#include <string>

namespace holdfast {

// "train.py:42", or in a notebook "cell [3], line 2".
std::string place_name(const std::string& file, std::optional<int> line);

}  // namespace holdfast
