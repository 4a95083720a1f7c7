// "did you mean ...?" for a word that is none of those known.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// Those of `known` that the word may have been meant for, the nearest first, four at most: a few
// letters wrong, two swapped, or a part of a longer name.
std::vector<std::string_view> meant(std::string_view word, std::span<const std::string_view> known);

// "did you mean run or runs? ", with the blank; empty where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace holdfast::cli
