// Text on a terminal: how many columns it takes, and where it is broken into lines that fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "present/style.h"

namespace holdfast {

// The next code point, consumed from `rest`, which must not be empty. A byte that is not UTF-8
// yields U+FFFD.
char32_t next_code_point(std::string_view& rest);

// 0 for combining marks and other invisible characters, 2 for East Asian wide characters and emoji,
// else 1. Roughly what wcwidth says, without a locale.
int column_width(char32_t code_point);

// Columns that a text takes. Colour sequences (ESC [ ... m), as Paint writes them, take none.
int display_width(std::string_view text);

// Length in bytes of the colour sequence `text` begins with, or 0.
std::size_t colour_length(std::string_view text);

// What goes in front of the first line and of every further line; it counts in the width.
struct Indent {
    std::string first;
    std::string rest;

    static Indent both(int columns) {
        return {std::string(static_cast<std::size_t>(columns), ' '),
                std::string(static_cast<std::size_t>(columns), ' ')};
    }
};

// Breaks a text into lines that fit. Breaks at blanks; breaks a word that is longer than a line at
// the line's end, preferably after a slash, and never inside a character. Newlines count as blanks.
// No line ends with a blank, and empty text gives no line. Colour sequences take no room.
std::vector<std::string> wrap(std::string_view text, int width, const Indent& indent = {});

// One line of source code: unchanged if it fits, else wrapped below its own indentation.
std::vector<std::string> wrap_code(std::string_view line, int width, int indent);

// Cuts the end of a text that does not fit, and adds "…" (or "..."). Plain text only.
std::string shorten(std::string_view text, int width, const Style& style);
// The same for paths: cuts the front, because the end tells more.
std::string shorten_front(std::string_view text, int width, const Style& style);

// The first 4 KiB, more than any place on a page shows: a line of a gigabyte must cost nothing.
std::string_view clipped(std::string_view text);

// Foreign text made fit to show: printable, without tabs and characters that reorder the line, and
// ASCII only if the terminal knows nothing else. Newlines stay.
std::string safe_text(std::string_view text, const Style& style);
// The same on one line, clipped.
std::string safe_line(std::string_view text, const Style& style);

}  // namespace holdfast
