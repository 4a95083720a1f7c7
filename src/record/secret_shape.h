// Recognises secrets by their own form or randomness.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

// How many bytes at the start of `text` are a secret, judged by its form: vendors' prefixes of
// keys, JSON web tokens, private keys in PEM, addresses of webhooks. 0 if none begins there.
std::size_t secret_shape_length(std::string_view text);

// The length of a webhook's address at the start of `text`, up to its secret; 0 if there is none.
std::size_t webhook_prefix_length(std::string_view text);

enum class SecretPlace { text, path, url };

// How many bytes at the start of `text` are a stretch of letters and digits so random that no
// person chose it; 0 if none begins there. Leaves out hexadecimal hashes, UUIDs and compiler
// symbols, which often are no secrets.
std::size_t random_token_length(std::string_view text, SecretPlace place);

}  // namespace holdfast
