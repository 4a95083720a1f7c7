// Recognises secrets by their randomness: long sequences of letters and digits that no person
// chose.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

enum class Place { text, path, url };

// How many bytes at the start of `text` are such a stretch; 0 when none begins there. Hexadecimal
// hashes, UUIDs and compiler symbols are left alone, because they often are not secrets.
std::size_t random_token_length(std::string_view text, Place place);

}  // namespace holdfast
