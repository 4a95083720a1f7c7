#include "present/wrap.h"

#include <algorithm>

#include "base/text.h"
#include "present/display_width.h"

namespace holdfast {
namespace {

// As much of `word` as fits, at least one character with the marks that belong to it.
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
            // A slash near the end of the line is the better place; one near its start is not.
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
    // Deep nesting must leave room for the code itself.
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
