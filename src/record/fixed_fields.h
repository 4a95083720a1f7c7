// Text and figures in the fixed fields of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/text.h"
#include "record/format.h"

namespace holdfast {

// The text of a field: up to the first NUL or the end of the field, made safe to show.
template <std::size_t N>
std::string fixed_text(const char (&field)[N]) {
    return printable(std::string_view(field, ::strnlen(field, N)));
}

// The other way round: cuts what does not fit, between characters, and ends it in "..."; fills the
// rest of the field with zeros.
void set_fixed_text(char* field, std::size_t size, std::string_view text);
template <std::size_t N>
void set_fixed_text(char (&field)[N], std::string_view text) {
    set_fixed_text(field, N, text);
}

// An event stores the length of its text.
std::string event_text(const format::Event& event);
void set_event_text(format::Event& event, std::string_view text);

// How the black box stores optional figures.
inline std::uint64_t stored(std::optional<Bytes> amount) {
    return amount ? amount->count : format::unknown;
}
inline std::uint64_t stored(std::optional<std::uint64_t> count) {
    return count.value_or(format::unknown);
}

// Makes every figure of a record from `first` to `last` unknown; a list of names would miss new
// ones.
template <class Record>
void forget(Record& record, std::uint64_t Record::*first, std::uint64_t Record::*last) {
    const auto* const end = reinterpret_cast<const char*>(&(record.*last) + 1);
    for (auto* at = reinterpret_cast<char*>(&(record.*first)); at != end;
         at += sizeof format::unknown)
        std::memcpy(at, &format::unknown, sizeof format::unknown);
}

}  // namespace holdfast
