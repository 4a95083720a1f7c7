#include "present/wrap.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"

namespace holdfast {
namespace {

struct Range {
    char32_t first, last;
};

// Whole blocks, not single characters: a table of all exceptions would need updating every year,
// and a wrong width only makes a line wrap early.
constexpr Range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093c, 0x093c},   {0x0941, 0x0948}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe01ef},
};
constexpr Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},
    {0x26bd, 0x26be},   {0x26d4, 0x26d4},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f1e6, 0x1f202}, {0x1f210, 0x1f23b},
    {0x1f240, 0x1f265}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};

bool within(char32_t code_point, std::span<const Range> ranges) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                        [](char32_t c, Range r) { return c < r.first; });
    return after != ranges.begin() && code_point <= std::prev(after)->last;
}

}  // namespace

char32_t next_code_point(std::string_view& rest) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        rest.remove_prefix(1);
        return lead;
    }
    const std::size_t length = lead < 0xc2   ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    char32_t value = lead & (0xffU >> (length + 1));
    bool whole = length != 0 && length <= rest.size();
    for (std::size_t i = 1; whole && i < length; ++i) {
        whole = (byte(i) & 0xc0U) == 0x80U;
        value = value << 6U | (byte(i) & 0x3fU);
    }
    rest.remove_prefix(whole ? length : 1);
    return whole ? value : U'\ufffd';
}

int column_width(char32_t code_point) {
    if (code_point < 0x300) return 1;
    if (within(code_point, zero_width)) return 0;
    return within(code_point, wide) ? 2 : 1;
}

std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

int display_width(std::string_view text) {
    int width = 0;
    while (!text.empty()) {
        if (const std::size_t colour = colour_length(text); colour > 0)
            text.remove_prefix(colour);
        else
            width += column_width(next_code_point(text));
    }
    return width;
}

namespace {

// As much of `word` as fits: at least one character, together with its combining marks.
std::size_t fitting_prefix(std::string_view word, int width) {
    std::string_view rest = word;
    int used = 0;
    std::size_t after_slash = 0;
    while (!rest.empty()) {
        const std::size_t at = word.size() - rest.size();
        if (const std::size_t colour = colour_length(rest); colour > 0) {
            rest.remove_prefix(colour);
            continue;
        }
        const char32_t c = next_code_point(rest);
        used += column_width(c);
        if (used > width && at > 0)
            // Breaks after a slash only if it is near the end of the line.
            return after_slash > at / 2 ? after_slash : at;
        if (c == U'/') after_slash = word.size() - rest.size();
    }
    return word.size();
}

class Wrapper {
public:
    Wrapper(int width, const Indent& indent) : width_(width), indent_(indent) {}

    void word(std::string_view word) {
        int needed = display_width(word);
        if (used_ > 0 && used_ + 1 + needed > room()) flush();
        if (used_ > 0) {
            line_ += ' ';
            ++used_;
        }
        while (used_ == 0 && needed > room()) {
            const std::string_view piece = word.substr(0, fitting_prefix(word, room()));
            if (piece.size() == word.size()) break;
            line_ += piece;
            word.remove_prefix(piece.size());
            needed -= display_width(piece);
            flush();
        }
        line_ += word;
        used_ += needed;
    }
    std::vector<std::string> take() {
        if (!line_.empty()) flush();
        return std::move(lines_);
    }

private:
    const std::string& lead() const { return lines_.empty() ? indent_.first : indent_.rest; }
    int room() const { return std::max(1, width_ - display_width(lead())); }
    void flush() {
        lines_.push_back(lead() + line_);
        line_.clear();
        used_ = 0;
    }

    int width_;
    const Indent& indent_;
    std::vector<std::string> lines_;
    std::string line_;
    int used_ = 0;
};

std::string_view ascii_for(char32_t c) {
    switch (c) {
    case U'…': return "...";
    case U'·':
    case U'•': return "-";
    case U'→': return "->";
    case U'–':
    case U'—': return "-";
    case U'‘':
    case U'’': return "'";
    case U'“':
    case U'”': return "\"";
    case U'×': return "x";
    default: return column_width(c) == 0 ? "" : "?";
    }
}

bool reorders_the_line(char32_t c) {
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

std::string_view ellipsis(const Style& style) { return style.unicode ? "…" : "..."; }

}  // namespace

std::vector<std::string> wrap(std::string_view text, int width, const Indent& indent) {
    Wrapper wrapper(width, indent);
    while (const auto word = next_word(text)) wrapper.word(*word);
    return wrapper.take();
}

std::vector<std::string> wrap_code(std::string_view line, int width, int indent) {
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) return {};
    std::string whole = Indent::both(indent).first.append(line);
    if (display_width(whole) <= width) return {std::move(whole)};
    // Limit the indentation, so that deep nesting leaves room for the code.
    const int own = std::min(static_cast<int>(line.find_first_not_of(' ')), width / 4);
    return wrap(line, width,
                {Indent::both(indent + own).first, Indent::both(indent + own + 2).rest});
}

std::string shorten(std::string_view text, int width, const Style& style) {
    if (display_width(text) <= width) return std::string(text);
    const int room = width - display_width(ellipsis(style));
    std::string_view rest = text;
    int used = 0;
    std::size_t end = 0;
    while (!rest.empty()) {
        used += column_width(next_code_point(rest));
        if (used > room) break;
        end = text.size() - rest.size();
    }
    return std::string(text.substr(0, end)).append(ellipsis(style));
}

std::string shorten_front(std::string_view text, int width, const Style& style) {
    int left = display_width(text);
    if (left <= width) return std::string(text);
    const int room = width - display_width(ellipsis(style));
    while (!text.empty() && left > room) left -= column_width(next_code_point(text));
    // The rest must not begin with a combining mark of the character that was cut off.
    for (std::string_view rest = text; !text.empty() && column_width(next_code_point(rest)) == 0;)
        text = rest;
    return std::string(ellipsis(style)).append(text);
}

std::string safe_text(std::string_view text, const Style& style) {
    const std::string clean = printable(text);
    std::string safe;
    safe.reserve(clean.size());
    for (std::string_view rest = clean; !rest.empty();) {
        const char* start = rest.data();
        const char32_t c = next_code_point(rest);
        if (c == U'\t')
            safe += "    ";
        else if (c == 0x2028 || c == 0x2029)
            safe += ' ';
        else if (reorders_the_line(c))
            continue;
        else if (c < 0x80 || style.unicode)
            safe.append(start, static_cast<std::size_t>(rest.data() - start));
        else
            safe += ascii_for(c);
    }
    return safe;
}

std::string_view clipped(std::string_view text) {
    constexpr std::size_t most = 4096;
    if (text.size() <= most) return text;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return text.substr(0, end);
}

std::string safe_line(std::string_view text, const Style& style) {
    std::string line = safe_text(trim(clipped(text)), style);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

}  // namespace holdfast
