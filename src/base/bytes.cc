#include "base/bytes.h"

#include <array>
#include <cmath>
#include <string>

#include "base/format.h"
#include "base/text.h"

namespace holdfast {

std::string human(Bytes amount) {
    static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(amount.count);
    std::size_t unit = 0;
    // 1023.6 would print as "1024 MiB": step up where rounding would.
    while (value >= 1023.5 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    if (unit == 0 || value >= 99.95) return formatted("{:.0f} {}", value, units[unit]);
    std::string digits = value >= 9.995 ? formatted("{:.1f}", value) : formatted("{:.2f}", value);
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
    return digits + ' ' + units[unit];
}

std::string human_with_error(Bytes amount, std::optional<Bytes> error) {
    if (!error || error->count <= amount.count / 20) return human(amount);
    return formatted("{} ± {}", human(amount), human(*error));
}

namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Bytes in one unit; 0 if `unit` is not a unit.
double factor_of(std::string_view unit) {
    if (unit.empty()) return 0;
    if (unit.size() == 1 && lower(unit[0]) == 'b') return 1;
    constexpr std::string_view letters = "kmgt";
    const std::size_t power = letters.find(lower(unit[0]));
    if (power == std::string_view::npos) return 0;
    std::string rest;
    for (const char c : unit.substr(1)) rest += lower(c);
    if (!rest.empty() && rest != "b" && rest != "ib") return 0;
    return std::pow(1024.0, static_cast<double>(power + 1));
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
    text = trim(text);
    const std::string quoted = "'" + std::string(text) + "'";
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::optional<double> amount = parse_decimal(text.substr(0, digits));
    const std::string_view unit = trim(text.substr(digits));
    if (!amount || *amount < 0) return Error{quoted + " is not a size; write 512MiB or 10GB"};
    if (unit.empty()) {
        if (*amount != 0 && *amount < 0x1p20)
            return Error{quoted + " has no unit; write " + std::string(text) + "MiB or " +
                         std::string(text) + "GiB"};
        if (*amount >= 0x1p60) return Error{quoted + " is larger than any memory"};
        return Bytes{static_cast<std::uint64_t>(*amount)};
    }
    const double factor = factor_of(unit);
    if (factor == 0) return Error{quoted + " is not a size; write 512MiB or 10GB"};
    if (*amount * factor >= 0x1p60) return Error{quoted + " is larger than any memory"};
    return Bytes{static_cast<std::uint64_t>(*amount * factor)};
}

}  // namespace holdfast
