#include "base/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace holdfast {
namespace {

// 1e300 with three digits behind the point is the longest that a double can ask for.
using Digits = std::array<char, 400>;

std::string_view digits_of(Digits& room, const FormatArgument& value, const FormatField& field) {
    char* const first = room.data();
    char* const last = first + room.size();
    std::to_chars_result made{first, {}};
    if (value.kind() == FormatKind::real) {
        const int precision = std::min(field.precision < 0 ? 6 : field.precision, 50);
        if (field.type == 'f')
            made = std::to_chars(first, last, value.real(), std::chars_format::fixed, precision);
        else if (field.type == 'g' || field.precision >= 0)
            made = std::to_chars(first, last, value.real(), std::chars_format::general, precision);
        else
            made = std::to_chars(first, last, value.real());
    } else if (value.kind() == FormatKind::integer) {
        made = std::to_chars(first, last, value.integer(), field.type == 'x' ? 16 : 10);
    } else {
        made = std::to_chars(first, last, value.natural(), field.type == 'x' ? 16 : 10);
    }
    return {first, static_cast<std::size_t>(made.ptr - first)};
}

// Columns that a text takes, one per character.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

void put(std::string& out, const FormatArgument& value, const FormatField& field,
         std::size_t width) {
    const auto pad = [&](std::string_view text, bool right) {
        const std::size_t held = columns(text);
        const std::size_t blanks = width > held ? width - held : 0;
        if (right) out.append(blanks, ' ');
        out += text;
        if (!right) out.append(blanks, ' ');
    };
    switch (value.kind()) {
    case FormatKind::text: return pad(value.text(), field.align == '>');
    case FormatKind::truth: return pad(value.natural() != 0 ? "true" : "false", field.align == '>');
    case FormatKind::character: {
        const char c = static_cast<char>(value.natural());
        return pad({&c, 1}, field.align == '>');
    }
    default: break;
    }
    Digits room;
    std::string_view digits = digits_of(room, value, field);
    if (!field.zeros) {
        const std::string_view prefix = field.prefix && field.type == 'x' ? "0x" : "";
        return pad(std::string(prefix).append(digits), field.align != '<');
    }
    if (digits.starts_with('-')) {
        out += '-';
        digits.remove_prefix(1);
        if (width > 0) --width;
    }
    if (field.prefix && field.type == 'x') {
        out += "0x";
        width = width > 2 ? width - 2 : 0;
    }
    if (width > digits.size()) out.append(width - digits.size(), '0');
    out += digits;
}

}  // namespace

void wrong_pattern(const char*) { std::abort(); }

std::string format_arguments(std::string_view pattern, const FormatArgument* arguments) {
    std::string out;
    int next = 0;
    while (!pattern.empty()) {
        const std::size_t brace = std::min(pattern.find_first_of("{}"), pattern.size());
        out += pattern.substr(0, brace);
        pattern.remove_prefix(brace);
        if (pattern.size() < 2) break;
        if (pattern[0] == pattern[1]) {
            out += pattern[0];
            pattern.remove_prefix(2);
            continue;
        }
        pattern.remove_prefix(1);
        const FormatField field = read_format_field(pattern, next);
        int width = field.width;
        if (field.width_argument >= 0)
            width = static_cast<int>(arguments[field.width_argument].integer());
        put(out, arguments[field.argument], field, static_cast<std::size_t>(std::max(width, 0)));
    }
    return out;
}

}  // namespace holdfast
