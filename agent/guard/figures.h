// The few figures the guard reads from kernel files: pure parsers over text that is already there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

inline constexpr std::uint64_t no_figure = ~std::uint64_t{0};
// Where there is no limit, v1 shows the largest multiple of the page size that fits into 63 bits.
inline constexpr std::uint64_t least_boundless = std::uint64_t{1} << 62U;

// The number a text begins with; `no_figure` where it begins with none, or with one too long.
inline std::uint64_t leading_number(Text text) {
    std::uint64_t value = 0;
    std::size_t at = 0;
    for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; ++at) {
        const auto digit = static_cast<std::uint64_t>(text.data[at] - '0');
        if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return no_figure;
    }
    return at == 0 ? no_figure : value;
}

// The number after `name` and blanks at the beginning of a line ("MemAvailable:", "total_dirty",
// "VmRSS:" with a tab).
inline std::uint64_t figure_named(Text text, Text name) {
    std::size_t at = 0;
    while (at < text.size) {
        const char* line = text.data + at;
        const std::size_t left = text.size - at;
        if (left > name.size && std::memcmp(line, name.data, name.size) == 0 &&
            (line[name.size] == ' ' || line[name.size] == '\t')) {
            std::size_t skip = name.size;
            while (skip < left && (line[skip] == ' ' || line[skip] == '\t')) ++skip;
            return leading_number({line + skip, left - skip});
        }
        const void* end = std::memchr(line, '\n', left);
        if (end == nullptr) break;
        at = static_cast<std::size_t>(static_cast<const char*>(end) - text.data) + 1;
    }
    return no_figure;
}

// A limit: a number, or none ("max", or larger than anything). False: the text is neither.
inline bool limit_in(Text text, std::uint64_t& limit) {
    if (text.starts_with("max")) {
        limit = no_figure;
        return true;
    }
    limit = leading_number(text);
    if (limit == no_figure) return false;
    if (limit >= least_boundless) limit = no_figure;
    return true;
}

inline std::uint64_t at_least_nothing(std::uint64_t from, std::uint64_t less) {
    return from > less ? from - less : 0;
}

}  // namespace holdfast::agent
