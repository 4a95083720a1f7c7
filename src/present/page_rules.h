// For tests: what must hold for every text on a terminal.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "present/style.h"
#include "present/wrap.h"

namespace holdfast::testing {

inline std::string without_colour(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::size_t colour = colour_length(text);
        if (colour == 0) plain += text[0];
        text.remove_prefix(colour == 0 ? 1 : colour);
    }
    return plain;
}

// The first rule that is broken, or an empty string.
inline std::string broken_rule(const std::string& page, const Style& style) {
    if (!page.ends_with('\n')) return "does not end with a newline";
    if (!style.colour && page.find('\x1b') != std::string::npos)
        return "colour where none is wanted";
    const std::string plain = without_colour(page);
    if (printable(plain) != plain) return "bytes a terminal should not get";
    if (plain.find('\t') != std::string::npos) return "a tab";
    for (std::string_view line : split(plain, '\n')) {
        if (display_width(line) > style.width) return "too wide: " + std::string(line);
        if (line.ends_with(' ')) return "trailing blank: " + std::string(line);
        if (style.unicode) continue;
        for (char c : line)
            if (static_cast<unsigned char>(c) >= 0x80) return "not ASCII: " + std::string(line);
    }
    return {};
}

// Every combination of width, colour and character set.
template <class Check>
void for_each_style(Check check) {
    for (int width : {least_width, 57, greatest_width})
        for (bool colour : {false, true})
            for (bool unicode : {false, true}) check(Style{width, colour, unicode});
}

}  // namespace holdfast::testing
