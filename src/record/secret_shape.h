// Recognises secrets by their form: the prefixes that vendors give their keys, JSON web tokens,
// private keys in PEM, addresses of webhooks.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

// How many bytes at the start of `text` are a secret; 0 when none begins there.
std::size_t secret_shape_length(std::string_view text);

// Length of a webhook's address at the start of `text`, up to where its secret begins; 0 when it
// is none.
std::size_t webhook_prefix_length(std::string_view text);

}  // namespace holdfast
