// Recognises secrets by themselves: by their form, or by their randomness.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

// Recognises secrets by their form: the prefixes that vendors give their keys, JSON web tokens,
// private keys in PEM, addresses of webhooks.
// How many bytes at the start of `text` are a secret; 0 when none begins there.
std::size_t secret_shape_length(std::string_view text);

// Length of a webhook's address at the start of `text`, up to where its secret begins; 0 when it
// is none.
std::size_t webhook_prefix_length(std::string_view text);

enum class Place { text, path, url };

// Recognises secrets by their randomness: long sequences of letters and digits that no person
// chose. How many bytes at the start of `text` are such a stretch; 0 when none begins there.
// Hexadecimal hashes, UUIDs and compiler symbols are left alone, because they often are not
// secrets.
std::size_t random_token_length(std::string_view text, Place place);

}  // namespace holdfast
