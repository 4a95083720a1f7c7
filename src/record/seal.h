// A checksum inside a JSON object, as its last member: without it, a flipped bit would make a wrong
// figure that looks right.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

// Adds `"crc32c": "1a2b3c4d"` before the last brace. Other readers of JSON take no notice.
std::string seal(std::string_view json);

// The object without its seal, or an error when there is none or it does not hold.
Result<std::string> unseal(std::string_view sealed);

}  // namespace holdfast
