// Sizes as people write them: "512MiB", "10GB", "1.5G".
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast {

// "GB" and "G" mean GiB, as on a graphics card's box. A number without a unit counts bytes where
// it can mean nothing else: from a mebibyte on, or 0. The error says what to write instead.
Result<Bytes> parse_size(std::string_view text);

}  // namespace holdfast
