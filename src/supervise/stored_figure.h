// Optional figures as the black box stores them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "record/format.h"

namespace holdfast {

inline std::uint64_t stored(std::optional<Bytes> amount) {
    return amount ? amount->count : format::unknown;
}
inline std::uint64_t stored(std::optional<std::uint64_t> count) {
    return count.value_or(format::unknown);
}

}  // namespace holdfast
