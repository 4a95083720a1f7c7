#include "present/curve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "present/style.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr int rows = 4;
constexpr int label_width = 8;  // "1023 MiB"
constexpr int most_columns = 60;

struct Glyphs {
    std::array<std::string_view, 9> levels;  // from empty to full
    std::string_view limit, axis, corner;
};
constexpr Glyphs blocks{{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "╌", "─", "└"};
constexpr Glyphs ascii{{" ", ".", ".", ".", ":", ":", ":", "#", "#"}, "-", "-", "+"};

std::string repeat(std::string_view glyph, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += glyph;
    return text;
}

// The highest use in each column's share of the time. A column without a sample repeats the column
// before it, the last known value.
std::vector<double> resample(const std::vector<CurvePoint>& points, int columns) {
    std::vector<double> most(static_cast<std::size_t>(columns), -1);
    const double first = seconds(points.front().time);
    const double span = seconds(points.back().time) - first;
    for (const CurvePoint& point : points) {
        const double share = span > 0 ? (seconds(point.time) - first) / span : 1;
        const auto column =
            static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (columns - 1) + 0.5);
        most[column] = std::max(most[column], static_cast<double>(point.used.count));
    }
    double last = static_cast<double>(points.front().used.count);
    for (double& value : most) last = value = value < 0 ? last : value;
    return most;
}

struct Scale {
    double top = 1;
    bool limit_at_top = false;
};

// The limit is the top of the picture, unless that would press the curve flat on the floor.
Scale choose_scale(const std::vector<double>& used, std::optional<Bytes> limit) {
    const double most = *std::max_element(used.begin(), used.end());
    const double allowed = limit ? static_cast<double>(limit->count) : 0;
    if (allowed > 0 && most >= allowed / 8) return {allowed, true};
    return {std::max(most, 1.0), false};
}

std::string draw_row(const std::vector<double>& used, const Scale& scale, int row,
                     const Glyphs& glyphs, const Paint& paint) {
    std::string line, run;
    int colour = 0;
    const auto flush = [&] {
        line += colour == 2 ? paint.bad(run) : colour == 1 ? paint.warn(run) : paint.good(run);
        run.clear();
    };
    const auto level_of = [&](double value) {
        const auto height =
            static_cast<int>(std::lround(std::min(1.0, value / scale.top) * rows * 8));
        const int level = std::clamp(height - (rows - 1 - row) * 8, 0, 8);
        // Draw at least one level if anything is in use.
        return level == 0 && row == rows - 1 && value > 0 ? 1 : level;
    };
    std::size_t end = used.size();
    while (end > 0 && level_of(used[end - 1]) == 0) --end;
    for (std::size_t column = 0; column < end; ++column) {
        const double share = used[column] / scale.top;
        const int near = !scale.limit_at_top ? 0 : share >= 0.95 ? 2 : share >= 0.8 ? 1 : 0;
        if (near != colour) flush();
        colour = near;
        run += glyphs.levels[static_cast<std::size_t>(level_of(used[column]))];
    }
    flush();
    return line;
}

std::string right_aligned(const std::string& text) {
    return std::string(static_cast<std::size_t>(std::max(0, label_width - display_width(text))),
                       ' ') +
           text;
}

}  // namespace

std::vector<std::string> draw_curve(const MemorySummary& memory, const Style& style, int width) {
    const int columns = std::min(most_columns, width - label_width - 1);
    if (memory.curve.empty() || columns < 10) return {};
    std::vector<CurvePoint> points = memory.curve;
    std::stable_sort(points.begin(), points.end(),
                     [](const CurvePoint& a, const CurvePoint& b) { return a.time < b.time; });

    const Paint paint(style);
    const Glyphs& glyphs = style.unicode ? blocks : ascii;
    const std::optional<Bytes> limit = memory.limit ? memory.limit : points.back().limit;
    const std::vector<double> used = resample(points, columns);
    const Scale scale = choose_scale(used, limit);
    const std::string limit_name =
        memory.limit_name.empty() ? "limit" : safe_line(memory.limit_name, style);

    std::vector<std::string> lines;
    if (scale.limit_at_top) {
        const std::string name = ' ' + shorten(limit_name, columns - 4, style);
        lines.push_back(paint.bad(right_aligned(human(*limit))) + ' ' +
                        paint.bad(repeat(glyphs.limit, columns - display_width(name)) + name));
    }
    // 16 EiB as a double is one more than the largest integer.
    const auto top = Bytes{static_cast<std::uint64_t>(std::min(scale.top, 1.8e19))};
    for (int row = 0; row < rows; ++row) {
        std::string label;
        if (row == 0 && !scale.limit_at_top) label = human(top);
        if (row == rows / 2) label = human(Bytes{top.count / 2});
        const std::string bars = draw_row(used, scale, row, glyphs, paint);
        if (label.empty() && bars.empty())
            lines.emplace_back();
        else
            lines.push_back(paint.faint(right_aligned(label)) + (bars.empty() ? "" : " ") + bars);
    }

    const double span = std::min(seconds(points.back().time) - seconds(points.front().time), 9e9);
    const std::string_view dot = style.unicode ? "·" : "-";
    std::string caption = points.size() < 2
                              ? " one look "
                              : formatted(" last {} ", human(Nanos(std::llround(span * 1e9))));
    std::string peak;
    if (memory.peak) peak = formatted(" peak {} ", human(*memory.peak));
    if (limit && !scale.limit_at_top)
        peak += formatted("{}{} {} ", peak.empty() ? " " : std::string(dot) + " ", limit_name,
                          human(*limit));
    const int fill = columns - 3 - display_width(caption) - display_width(peak);
    if (fill < 1) peak.clear();
    lines.push_back(paint.faint(
        right_aligned("0") + ' ' + std::string(glyphs.corner) + std::string(glyphs.axis) + caption +
        repeat(glyphs.axis, columns - 3 - display_width(caption) - display_width(peak)) + peak +
        std::string(glyphs.axis)));
    return lines;
}

}  // namespace holdfast
