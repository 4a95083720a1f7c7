// Small text tools for parsers: no allocation, no locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

std::string_view trim(std::string_view text);

// The next piece up to `separator`, which is consumed; nothing when `rest` is used up.
std::optional<std::string_view> next_piece(std::string_view& rest, char separator);
inline std::optional<std::string_view> next_line(std::string_view& rest) {
    return next_piece(rest, '\n');
}
// The next word, runs of blanks skipped.
std::optional<std::string_view> next_word(std::string_view& rest);

// The last part of a path.
std::string_view base_name(std::string_view path);

// Length of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 if there is
// none.
std::size_t utf8_length(std::string_view text);

// At most `limit` bytes, never half a character.
std::string_view cut(std::string_view text, std::size_t limit);

std::vector<std::string_view> split(std::string_view text, char separator);

// The whole of `text` as a number, or nothing: "12 kB", "" and an overflow are not numbers.
template <class Int>
std::optional<Int> parse_number(std::string_view text, int base = 10) {
    Int value{};
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value, base);
    if (failed != std::errc{} || stop != end || text.empty()) return std::nullopt;
    return value;
}
std::optional<double> parse_decimal(std::string_view text);

// Bytes from elsewhere made safe for a terminal and for JSON: invalid UTF-8 and control characters
// (an escape sequence in a process name could rewrite the user's screen) become '?' or are dropped.
// Newlines and tabs stay.
std::string printable(std::string_view text);

// ASCII character classes that do not depend on the locale.
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alnum(char c) { return is_lower(c) || is_upper(c) || is_digit(c); }

}  // namespace holdfast
