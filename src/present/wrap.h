// Text on a terminal: how many columns it takes, and where it is broken into lines that fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "present/style.h"

namespace holdfast {

// How many columns text takes on a terminal: approximately what wcwidth says, without a locale.
// The next code point, consumed from `rest`, which must not be empty. A byte that is not UTF-8
// counts as U+FFFD.
char32_t next_code_point(std::string_view& rest);

// 0 for combining marks and other invisible characters, 2 for East Asian wide and emoji, else 1.
int column_width(char32_t code_point);

// Colour sequences (ESC [ ... m), as Paint writes them, take no room.
int display_width(std::string_view text);

// Length in bytes of the colour sequence `text` begins with, or 0.
std::size_t colour_length(std::string_view text);

// Text broken into lines that fit, counted in columns rather than bytes.
// What goes in front of the first line and of every further one; counted in the width.
struct Indent {
    std::string first;
    std::string rest;

    static Indent both(int columns) {
        return {std::string(static_cast<std::size_t>(columns), ' '),
                std::string(static_cast<std::size_t>(columns), ' ')};
    }
};

// Breaks at blanks; a word longer than a whole line is broken where the line ends, preferably after
// a slash, never within a character. Newlines count as blanks. No line ends in a blank; empty text
// gives no line. Colour sequences take no room.
std::vector<std::string> wrap(std::string_view text, int width, const Indent& indent = {});

// One line of source code: kept as it stands where it fits, else wrapped below its own indentation.
std::vector<std::string> wrap_code(std::string_view line, int width, int indent);

// Cuts at the end so that it fits, with "…" (or "...") in place of what was cut. Plain text only.
std::string shorten(std::string_view text, int width, const Style& style);
// The same for paths: cuts at the front, because the end tells.
std::string shorten_front(std::string_view text, int width, const Style& style);

// The first 4 KiB: more than any place on a page shows, so that a line of a gigabyte costs nothing.
std::string_view clipped(std::string_view text);

// Foreign text made fit to show: printable, no tabs, no characters that reorder the line, ASCII
// where the terminal knows nothing else. Newlines stay.
std::string safe_text(std::string_view text, const Style& style);
// The same on one line, clipped.
std::string safe_line(std::string_view text, const Style& style);

}  // namespace holdfast
