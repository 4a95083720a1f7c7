// An amount of memory or disk, and how people write one. A type of its own, because a plain integer
// once meant KiB in one file and pages in the next.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

struct Bytes {
    std::uint64_t count = 0;

    static constexpr Bytes kib(std::uint64_t n) { return {n << 10U}; }
    static constexpr Bytes mib(std::uint64_t n) { return {n << 20U}; }
    static constexpr Bytes gib(std::uint64_t n) { return {n << 30U}; }

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
    // Saturates at 0: counters read a moment apart may disagree, and a wrap to 16 EiB is never
    // right.
    friend constexpr Bytes operator-(Bytes a, Bytes b) {
        return {a.count > b.count ? a.count - b.count : 0};
    }
    constexpr Bytes& operator+=(Bytes b) {
        count += b.count;
        return *this;
    }
    // This amount as a fraction of another; 0 when the other is nothing.
    constexpr double share_of(Bytes whole) const {
        return whole.count == 0 ? 0.0
                                : static_cast<double>(count) / static_cast<double>(whole.count);
    }
};

// "512 MiB", "1.5 GiB", "900 B": three significant digits at most.
std::string human(Bytes amount);
// "400 MiB ± 60 MiB" where the error is more than a twentieth, else as above.
std::string human_with_error(Bytes amount, std::optional<Bytes> error);

// Sizes as people write them: "512MiB", "10GB", "1.5G".
// "GB" and "G" mean GiB, as on a graphics card's box. A number without a unit means bytes; it is
// accepted only where it can mean nothing else: 0, or a mebibyte and more. The error says what to
// write instead.
Result<Bytes> parse_size(std::string_view text);

}  // namespace holdfast
