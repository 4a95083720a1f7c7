#include "present/page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

std::string spaces(int count) {
    return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

// Cuts a text that is too long, with a mark at its end.
void cut_lines(std::vector<std::string>& lines, std::size_t max_lines, int width,
               const Style& style) {
    if (lines.size() <= max_lines) return;
    lines.resize(max_lines);
    const std::string_view mark = style.unicode ? " …" : " ...";
    std::string& last = lines.back();
    if (display_width(last) + display_width(mark) <= width)
        last += mark;
    else
        last = shorten(last + "xxxx", width, style);
}

}  // namespace

void Page::blank() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

void Page::line(std::string text) {
    while (text.ends_with(' ')) text.pop_back();
    text_ += text;
    text_ += '\n';
}

void Page::row(const std::string& text) {
    const std::string label = std::exchange(label_, {});
    line(spaces(margin) + paint_.label(label) + spaces(gutter - margin - display_width(label)) +
         text);
}

// Paints only the words: to some tools, a painted indent would be a trailing blank.
std::string Page::painted(const std::string& line, Colour colour) const {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::string words = line.substr(start);
    return line.substr(0, start) + (colour ? (paint_.*colour)(words) : words);
}

void Page::paragraph(std::string_view text, const TextOptions& options) {
    const int first = margin + options.indent;
    auto lines =
        wrap(safe_line(text, style_), style_.width, {spaces(first), spaces(first + options.hang)});
    cut_lines(lines, static_cast<std::size_t>(options.max_lines), style_.width, style_);
    for (const std::string& each : lines) line(painted(each, options.colour));
}

void Page::text(std::string_view text, const TextOptions& options) {
    auto lines = wrap(safe_line(text, style_), body_width(),
                      {spaces(options.indent), spaces(options.indent + options.hang)});
    cut_lines(lines, static_cast<std::size_t>(options.max_lines), body_width(), style_);
    for (const std::string& each : lines) row(painted(each, options.colour));
}

void Page::section(std::string_view label) {
    blank();
    label_ = label;
}

void Page::code(std::string_view text, int indent, int max_lines) {
    const std::string safe = safe_text(clipped(text), style_);
    std::vector<std::string> lines;
    for (std::string_view rest = safe; const auto source = next_line(rest);)
        for (std::string& each : wrap_code(*source, body_width(), indent))
            lines.push_back(std::move(each));
    cut_lines(lines, static_cast<std::size_t>(max_lines), body_width(), style_);
    for (const std::string& each : lines) row(painted(each, &Paint::code));
}

void Page::pair(std::string_view left, int left_width, std::string_view right, int max_lines) {
    const std::string name = shorten(safe_line(left, style_), left_width, style_);
    const std::string safe = safe_line(right, style_);
    const int room = body_width() - left_width - 2;
    auto lines = wrap(safe, room);
    cut_lines(lines, static_cast<std::size_t>(max_lines), room, style_);
    if (lines.empty()) lines.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i)
        row(i == 0 ? paint_.faint(name) + spaces(left_width + 2 - display_width(name)) + lines[i]
                   : spaces(left_width + 2) + lines[i]);
}

std::string Page::take() { return std::move(text_); }

}  // namespace holdfast
