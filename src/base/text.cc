#include "base/text.h"

namespace holdfast {
namespace {

constexpr bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// How many bytes an escape sequence at the start of `text` takes (it begins with ESC).
std::size_t escape_length(std::string_view text) {
    if (text.size() < 2 || text[1] != '[') return 1;
    std::size_t i = 2;
    while (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x20 && text[i] < 0x40) ++i;
    return i < text.size() ? i + 1 : i;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0U) != 0x80U) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
    if (lead == 0xed && byte(1) >= 0xa0) return 0;  // surrogate
    if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
    if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
    return length;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<std::string_view> next_piece(std::string_view& rest, char separator) {
    if (rest.empty()) return std::nullopt;
    const std::size_t at = rest.find(separator);
    const std::string_view piece = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
    return piece;
}

std::optional<std::string_view> next_word(std::string_view& rest) {
    while (!rest.empty() && blank(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return std::nullopt;
    std::size_t end = 0;
    while (end < rest.size() && !blank(rest[end])) ++end;
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
}

std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view cut(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
    return text.substr(0, limit);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    while (const auto piece = next_piece(text, separator)) pieces.push_back(*piece);
    return pieces;
}

std::optional<double> parse_decimal(std::string_view text) {
    double value{};
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc{} || stop != end || text.empty()) return std::nullopt;
    return value;
}

std::string printable(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const auto c = static_cast<unsigned char>(text[0]);
        if (c == 0x1b) {
            text.remove_prefix(escape_length(text));
            continue;
        }
        std::size_t length = utf8_length(text);
        const bool control =
            (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ||
            (length == 2 && c == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
        if (length == 0 || control) {
            clean += '?';
            length = length == 0 ? 1 : length;
        } else {
            clean += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return clean;
}

}  // namespace holdfast
