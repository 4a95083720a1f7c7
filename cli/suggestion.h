// "did you mean ...?" for an unknown word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// The names in `known` that the word may mean, nearest first, four at most: with a few letters
// wrong or swapped, or containing the word.
std::vector<std::string_view> meant(std::string_view word, std::span<const std::string_view> known);

// "did you mean run or runs? ", with the blank at its end; empty if no name is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace holdfast::cli
