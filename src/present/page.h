// A page under construction: a gutter with labels on the left, text that wraps beside it.
#pragma once

#include <string>
#include <string_view>

#include "present/style.h"

namespace holdfast {

using Colour = std::string (Paint::*)(std::string_view) const;

struct TextOptions {
    Colour colour = nullptr;
    int indent = 0;  // of every line, in the body
    int hang = 0;    // of each further line, in addition
    int max_lines = 6;
};

class Page {
public:
    explicit Page(const Style& style) : style_(style), paint_(style) {}

    const Style& style() const { return style_; }
    const Paint& paint() const { return paint_; }

    void blank();
    // Adds a line that fits and is safe already.
    void line(std::string text);

    // Adds text from any source, across the whole page.
    void paragraph(std::string_view text, const TextOptions& options = {});

    // Starts a block; its first row gets the label.
    void section(std::string_view label);
    void text(std::string_view text, const TextOptions& options = {});
    // Keeps lines apart and keeps their indentation: source code, commands.
    void code(std::string_view text, int indent, int max_lines);
    // "left  right": right wraps beside left, which takes `left_width` columns.
    void pair(std::string_view left, int left_width, std::string_view right, int max_lines);
    // Adds a row of the body that fits and is safe already.
    void row(const std::string& text);

    int body_width() const { return style_.width - gutter; }
    std::string take();

private:
    static constexpr int margin = 2;
    static constexpr int gutter = 12;

    std::string painted(const std::string& line, Colour colour) const;

    Style style_;
    Paint paint_;
    std::string text_;
    std::string label_;
};

}  // namespace holdfast
