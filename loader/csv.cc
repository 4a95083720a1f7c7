#include "loader/csv.h"

#include <charconv>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace holdfast::loader {

std::optional<std::string_view> CsvLine::next() {
    if (over_) return std::nullopt;
    if (rest_.starts_with('"')) {
        std::size_t end = 1;
        while ((end = rest_.find('"', end)) != std::string_view::npos &&
               rest_.substr(end + 1).starts_with('"'))
            end += 2;
        if (end != std::string_view::npos) {
            const std::string_view cell = rest_.substr(1, end - 1);
            const std::string_view after = rest_.substr(end + 1);
            if (after.empty() || after[0] == separator_) {
                over_ = after.empty();
                rest_ = over_ ? after : after.substr(1);
                return cell;
            }
        }
    }
    const std::size_t end = rest_.find(separator_);
    const std::string_view cell = rest_.substr(0, end);
    over_ = end == std::string_view::npos;
    rest_ = over_ ? std::string_view() : rest_.substr(end + 1);
    return cell;
}

std::optional<double> CsvLine::plain_number() {
    // Both parts are exact in a double, so that their quotient is rounded once: the nearest.
    static constexpr double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    constexpr std::size_t most_digits = 15;
    if (over_) return std::nullopt;
    const char* at = rest_.data();
    const char* const end = at + rest_.size();
    const bool minus = at != end && *at == '-';
    if (minus) ++at;
    const char* const begin = at;
    std::uint64_t digits = 0;
    const auto take_digits = [&] {
        for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at)
            digits = digits * 10 + static_cast<unsigned char>(*at - '0');
    };
    take_digits();
    auto count = static_cast<std::size_t>(at - begin);
    std::size_t behind = 0;
    if (at != end && *at == '.') {
        const char* const point = ++at;
        take_digits();
        behind = static_cast<std::size_t>(at - point);
        count += behind;
    }
    if (count == 0 || count > most_digits || (at != end && *at != separator_)) return std::nullopt;
    over_ = at == end;
    rest_ = over_ ? std::string_view()
                  : std::string_view(at + 1, static_cast<std::size_t>(end - at) - 1);
    const double value = static_cast<double>(digits) / tens[behind];
    return minus ? -value : value;
}

std::vector<std::string> csv_cells(std::string_view line, char separator) {
    std::vector<std::string> cells;
    CsvLine parts(line, separator);
    while (const auto cell = parts.next()) {
        std::string text;
        for (std::size_t i = 0; i < cell->size(); ++i) {
            text += (*cell)[i];
            if ((*cell)[i] == '"' && cell->substr(i + 1).starts_with('"')) ++i;
        }
        cells.push_back(std::move(text));
    }
    return cells;
}

std::optional<double> csv_number(std::string_view cell) {
    double value = 0;
    const char* begin = cell.data();
    const char* end = begin + cell.size();
    // The usual case: a number and nothing around it.
    if (const auto [stop, failed] = std::from_chars(begin, end, value);
        failed == std::errc{} && stop == end)
        return value;
    const std::string_view bare = trim(cell);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (const std::string_view word : {"", "NA", "N/A", "null", "NULL", "None", "#N/A"})
        if (bare == word) return none;
    std::string_view digits = bare;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [stop, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (stop != digits.data() + digits.size()) return std::nullopt;
    if (failed == std::errc::result_out_of_range) {
        // Too large is infinite, too small is 0, as everywhere else.
        const bool small = digits.find("e-") != std::string_view::npos ||
                           digits.find("E-") != std::string_view::npos;
        const double sign = digits.starts_with('-') ? -1 : 1;
        return small ? 0.0 * sign : std::numeric_limits<double>::infinity() * sign;
    }
    if (failed != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace holdfast::loader
