// Text in the fixed fields of records.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"
#include "record/format.h"

namespace holdfast {

// The text of a field: up to the first NUL or the field's end, cleaned for people.
template <std::size_t N>
std::string fixed_text(const char (&field)[N]) {
    return printable(std::string_view(field, ::strnlen(field, N)));
}

// The other way: what does not fit is cut, between characters, and ends in "..."; the rest of the
// field becomes zero.
void set_fixed_text(char* field, std::size_t size, std::string_view text);
template <std::size_t N>
void set_fixed_text(char (&field)[N], std::string_view text) {
    set_fixed_text(field, N, text);
}

// An event's text has its length beside it.
std::string event_text(const format::Event& event);
void set_event_text(format::Event& event, std::string_view text);

}  // namespace holdfast
