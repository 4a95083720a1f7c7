// Versions of Python packages and the requirements on them, by PEP 440. What is not understood is
// unknown, never false: a wrong "does not fit" would be a wrong finding.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::check {

struct PackageVersion {
    std::uint64_t epoch = 0;
    std::vector<std::uint64_t> release;  // without trailing zeros
    // -3 a development release, -2 alpha, -1 beta or candidate ... 0 final, 1 post
    int phase = 0;
    std::uint64_t phase_number = 0;
    std::string local;  // "cu121", behind the '+'; not compared

    std::uint64_t part(std::size_t i) const { return i < release.size() ? release[i] : 0; }
    friend std::strong_ordering operator<=>(const PackageVersion& a, const PackageVersion& b);
    friend bool operator==(const PackageVersion& a, const PackageVersion& b) {
        return (a <=> b) == 0;
    }
};

std::optional<PackageVersion> parse_version(std::string_view text);

// Whether "2.0.1" fits "<2,>=1.21". Nothing if a part makes no sense.
std::optional<bool> fits(std::string_view specifiers, std::string_view version);

// "13.2" -> {13, 2}; of "525.60.13" the first two.
struct MajorMinor {
    int major = 0, minor = 0;
    friend constexpr auto operator<=>(MajorMinor, MajorMinor) = default;
};
std::optional<MajorMinor> major_minor(std::string_view text);

}  // namespace holdfast::check
