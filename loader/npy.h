// The header of a .npy file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::loader {

struct NpyHeader {
    std::string dtype;  // "<f4"
    std::uint64_t item_bytes = 0;
    std::vector<std::uint64_t> shape;
    std::uint64_t data_offset = 0;
};

// `front` is the first bytes of the file, 64 KiB or all of it.
Result<NpyHeader> parse_npy(std::string_view front);
// Bytes of one item of a plain dtype ("<f4" has 4); an error for objects, texts of Python and
// records.
Result<std::uint64_t> dtype_bytes(std::string_view dtype);

}  // namespace holdfast::loader
