#include "base/bytes.h"

#include <array>

#include "base/format.h"

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

}  // namespace holdfast
