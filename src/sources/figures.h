// Formats of figures in kernel files: "Name:   123 kB" and "name 123" line by line, pages and
// ticks.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/text.h"
#include "base/time.h"

namespace holdfast::sources {

struct FigureField {
    std::string_view key;
    std::string_view value;  // trimmed
};

// Calls `visit(FigureField)` for every line that has `separator`; returns how many had.
template <class Visit>
std::size_t for_each_field(std::string_view text, char separator, Visit visit) {
    std::size_t count = 0;
    while (const auto line = next_line(text)) {
        const std::size_t at = line->find(separator);
        if (at == std::string_view::npos || at == 0) continue;
        ++count;
        visit(FigureField{line->substr(0, at), trim(line->substr(at + 1))});
    }
    return count;
}

// "123 kB" or "123"; nothing if the bytes do not fit into 64 bits.
inline std::optional<Bytes> parse_kib(std::string_view text) {
    if (text.ends_with(" kB")) text.remove_suffix(3);
    const auto number = parse_number<std::uint64_t>(trim(text));
    if (!number || *number > (std::numeric_limits<std::uint64_t>::max() >> 10U))
        return std::nullopt;
    return Bytes::kib(*number);
}

inline std::optional<Bytes> parse_bytes(std::string_view text) {
    if (const auto number = parse_number<std::uint64_t>(text)) return Bytes{*number};
    return std::nullopt;
}

// Pages as bytes; nothing if they do not fit.
inline std::optional<Bytes> pages(std::uint64_t count, Bytes page) {
    if (page.count != 0 && count > std::numeric_limits<std::uint64_t>::max() / page.count)
        return std::nullopt;
    return Bytes{count * page.count};
}

// The size of a page: 4 KiB on x86_64; 4, 16 or 64 KiB on aarch64.
inline Bytes page_size() { return {static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))}; }

// USER_HZ is 100 on every architecture that we support, whatever the kernel's own timer does.
inline constexpr Nanos tick{10'000'000};

}  // namespace holdfast::sources
