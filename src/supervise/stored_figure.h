// Optional figures as the black box stores them.
#pragma once

#include <cstdint>
#include <cstring>
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

// Makes every figure of a record from `first` to `last` unknown; a list of names would miss new ones.
template <class Record>
void forget(Record& record, std::uint64_t Record::*first, std::uint64_t Record::*last) {
    const auto* const end = reinterpret_cast<const char*>(&(record.*last) + 1);
    for (auto* at = reinterpret_cast<char*>(&(record.*first)); at != end; at += sizeof format::unknown)
        std::memcpy(at, &format::unknown, sizeof format::unknown);
}

}  // namespace holdfast
