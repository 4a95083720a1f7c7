// A checksum as the last member of a JSON object: without it, a flipped bit would make a wrong
// figure that looks right.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

// Adds `"crc32c": "1a2b3c4d"` before the last brace. Other readers of JSON ignore it.
std::string seal(std::string_view json);

// The object without its seal; an error if there is no seal, or if it does not fit.
Result<std::string> unseal(std::string_view sealed);

}  // namespace holdfast
