#include "present/explanation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "present/page.h"
#include "present/style.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

// Markdown within a paragraph: `code`, *emphasis*, **strong**, [links](address), <address>.
enum class Kind { plain, code, strong, address };

// The text between `open`, at the start of `rest`, and the next `close`. Consumes all three.
std::optional<std::string_view> between(std::string_view& rest, std::string_view open,
                                        std::string_view close) {
    if (!rest.starts_with(open)) return std::nullopt;
    const std::size_t end = rest.find(close, open.size());
    if (end == std::string_view::npos || end == open.size()) return std::nullopt;
    const std::string_view inside = rest.substr(open.size(), end - open.size());
    rest.remove_prefix(end + close.size());
    return inside;
}

// A lone asterisk is multiplication or a glob, not emphasis.
bool opens_emphasis(std::string_view rest) {
    return rest.size() > 2 && rest[0] == '*' && rest[1] != ' ' && rest[1] != '*';
}

template <class Put>
void link(std::string_view& rest, Put put) {
    std::string_view ahead = rest;
    if (const auto text = between(ahead, "[", "]")) {
        if (const auto address = between(ahead, "(", ")")) {
            rest = ahead;
            put(Kind::plain, *text);
            if (*text == *address) return;
            put(Kind::plain, " (");
            put(Kind::address, *address);
            return put(Kind::plain, ")");
        }
    }
    put(Kind::plain, rest.substr(0, 1));
    rest.remove_prefix(1);
}

template <class Put>
void scan(std::string_view rest, Put put) {
    while (!rest.empty()) {
        if (const auto code = between(rest, "`", "`")) {
            put(Kind::code, *code);
        } else if (const auto strong = between(rest, "**", "**")) {
            put(Kind::strong, *strong);
        } else if (opens_emphasis(rest) && rest.find('*', 1) != std::string_view::npos) {
            put(Kind::strong, *between(rest, "*", "*"));
        } else if (rest.starts_with("<http")) {
            const auto address = between(rest, "<", ">");
            put(Kind::address, address ? *address : rest);
            if (!address) rest = {};
        } else if (rest[0] == '[') {
            link(rest, put);
        } else {
            const std::size_t end = std::min(rest.find_first_of("`*[<", 1), rest.size());
            put(Kind::plain, rest.substr(0, end));
            rest.remove_prefix(end);
        }
    }
}

std::string by_word(std::string_view text, const Paint& paint, Colour colour) {
    std::string painted;
    while (const auto word = next_word(text))
        painted.append(painted.empty() ? "" : " ").append((paint.*colour)(*word));
    return painted;
}

// Turns marks into colour, word by word, so that a line may break anywhere in between. Without
// colour the backticks stay, because they tell code from prose. An address follows the text of its
// link.
std::string painted_inline(std::string_view text, const Style& style) {
    const Paint paint(style);
    std::string out;
    scan(text, [&](Kind kind, std::string_view piece) {
        switch (kind) {
        case Kind::plain: out += piece; break;
        case Kind::strong: out += by_word(piece, paint, &Paint::strong); break;
        case Kind::address: out += paint.faint(piece); break;
        case Kind::code:
            out += style.colour ? by_word(piece, paint, &Paint::code)
                                : std::string("`").append(piece).append("`");
        }
    });
    return out;
}

// Without marks or colour.
std::string plain_inline(std::string_view text) {
    std::string out;
    scan(text, [&](Kind, std::string_view piece) { out += piece; });
    return out;
}

// The page, paragraph by paragraph.
constexpr int body_indent = 2;

struct ListMark {
    int indent = 0;
    std::string text;       // "-", "12."
    std::string_view rest;  // the text behind the mark
};

// "- text", "* text", "12. text", with any indentation.
std::optional<ListMark> list_mark(std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) return std::nullopt;
    std::string_view rest = line.substr(start);
    std::size_t length = 0;
    if (rest[0] == '-' || rest[0] == '*') {
        length = 1;
    } else {
        while (length < rest.size() && length < 3 && is_digit(rest[length])) ++length;
        if (length == 0 || length == rest.size() || rest[length] != '.') return std::nullopt;
        ++length;
    }
    if (rest.substr(length, 1) != " ") return std::nullopt;
    return ListMark{static_cast<int>(std::min<std::size_t>(start, 8)),
                    std::string(rest.substr(0, length)), rest.substr(length + 1)};
}

class Renderer {
public:
    explicit Renderer(const Style& style) : style_(style), paint_(style) {}

    void line(std::string_view line) {
        if (trim(line).starts_with("```")) {
            flush();
            in_code_ = !in_code_;
        } else if (in_code_) {
            for (const auto& each : wrap_code(line, style_.width, body_indent + 2))
                out_ += paint_code(each) + '\n';
        } else if (trim(line).empty()) {
            flush();
            blank();
        } else if (line[0] == '#') {
            heading(line);
        } else if (line[0] == '|') {
            flush();
            for (const auto& each : wrap_code(line, style_.width, body_indent)) out_ += each + '\n';
        } else if (const auto mark = list_mark(line)) {
            flush();
            lead_ = item_lead(*mark);
            text_ = mark->rest;
        } else {
            if (!text_.empty()) text_ += ' ';
            text_ += trim(line);
        }
    }
    std::string take() {
        flush();
        while (out_.ends_with("\n\n")) out_.pop_back();
        return std::move(out_);
    }

private:
    static Indent body() { return Indent::both(body_indent); }
    Indent item_lead(const ListMark& mark) const {
        const std::string shown = mark.text.size() > 1 ? mark.text : style_.unicode ? "•" : "-";
        std::string first = Indent::both(body_indent + mark.indent).first + shown + ' ';
        return {first, Indent::both(display_width(first)).rest};
    }
    std::string paint_code(const std::string& line) const {
        const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
        return line.substr(0, start) + paint_.code(line.substr(start));
    }
    void blank() {
        if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
    }
    void heading(std::string_view line) {
        flush();
        blank();
        const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
        const std::string text = plain_inline(trim(line.substr(level)));
        for (const std::string& each : wrap(text, style_.width))
            out_ += (level == 1 ? paint_.strong(each) : paint_.label(each)) + '\n';
    }
    void flush() {
        for (const std::string& each : wrap(painted_inline(text_, style_), style_.width, lead_))
            out_ += each + '\n';
        text_.clear();
        lead_ = body();
    }

    Style style_;
    Paint paint_;
    std::string out_;
    std::string text_;
    Indent lead_ = body();
    bool in_code_ = false;
};

}  // namespace

std::string explanation(std::string_view markdown, const Style& style) {
    const std::string safe = safe_text(markdown, style);
    Renderer renderer(style);
    for (std::string_view rest = safe; const auto line = next_line(rest);) renderer.line(*line);
    return renderer.take();
}

}  // namespace holdfast
