#include "present/markdown_inline.h"

#include <optional>

#include "base/text.h"
#include "present/page.h"

namespace holdfast {
namespace {

enum class Kind { plain, code, strong, address };

// What lies between `open` at the start of `rest` and the next `close`; consumed with both.
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

}  // namespace

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

std::string plain_inline(std::string_view text) {
    std::string out;
    scan(text, [&](Kind, std::string_view piece) { out += piece; });
    return out;
}

}  // namespace holdfast
