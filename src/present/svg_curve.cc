// Memory against its limit as a small SVG picture, drawn with the page's own text colour.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "present/notebook_words.h"

namespace holdfast {
namespace {

constexpr double width = 560;
constexpr double height = 96;
constexpr double left = 4;
constexpr double top = 14;
constexpr double bottom = height - 16;
constexpr std::size_t most_points = 200;

struct Frame2d {
    double first = 0, span = 0, most = 1;

    double x(const CurvePoint& point) const {
        const double share = span > 0 ? (seconds(point.time) - first) / span : 1;
        return left + std::clamp(share, 0.0, 1.0) * (width - 2 * left);
    }
    double y(double bytes) const {
        return bottom - std::clamp(bytes / most, 0.0, 1.0) * (bottom - top);
    }
};

std::string label(double x, double y, const char* anchor, const std::string& text) {
    return fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\" font-size=\"10\" "
        "fill=\"currentColor\" fill-opacity=\".75\">{}</text>",
        x, y, anchor, text);
}

}  // namespace

std::string svg_curve(const MemorySummary& memory) {
    if (memory.curve.size() < 2) return {};
    std::vector<CurvePoint> points = memory.curve;
    std::stable_sort(points.begin(), points.end(),
                     [](const CurvePoint& a, const CurvePoint& b) { return a.time < b.time; });
    const std::optional<Bytes> limit = memory.limit ? memory.limit : points.back().limit;
    double used = 1;
    for (const CurvePoint& point : points)
        used = std::max(used, static_cast<double>(point.used.count));
    // A limit far above would press the curve flat on its floor.
    const bool limit_shown = limit && used >= static_cast<double>(limit->count) / 8;
    Frame2d frame;
    frame.first = seconds(points.front().time);
    frame.span = seconds(points.back().time) - frame.first;
    frame.most = limit_shown ? std::max(used, static_cast<double>(limit->count)) : used;

    std::string line;
    const std::size_t step = std::max<std::size_t>(1, points.size() / most_points);
    for (std::size_t i = 0; i < points.size(); i += step)
        line += fmt::format("{:.1f},{:.1f} ", frame.x(points[i]),
                            frame.y(static_cast<double>(points[i].used.count)));
    line += fmt::format("{:.1f},{:.1f}", frame.x(points.back()),
                        frame.y(static_cast<double>(points.back().used.count)));
    std::string svg = fmt::format(
        "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"100%\" style=\"max-width:{0:.0f}px\" "
        "role=\"img\" aria-label=\"memory over time\">"
        "<polygon points=\"{2:.1f},{3:.1f} {4} {5:.1f},{3:.1f}\" fill=\"#e8710a\" "
        "fill-opacity=\".25\"/><polyline points=\"{4}\" fill=\"none\" stroke=\"#e8710a\" "
        "stroke-width=\"1.5\"/>",
        width, height, frame.x(points.front()), bottom, line, frame.x(points.back()));
    if (limit_shown) {
        const double y = frame.y(static_cast<double>(limit->count));
        svg += fmt::format(
            "<line x1=\"{0:.0f}\" y1=\"{1:.1f}\" x2=\"{2:.0f}\" y2=\"{1:.1f}\" stroke=\"#d32f2f\" "
            "stroke-dasharray=\"4 3\"/>",
            left, y, width - left);
        svg += label(width - left, y - 3, "end", fmt::format("limit {}", human(*limit)));
    }
    svg +=
        label(left, height - 4, "start",
              fmt::format("last {}", human(Nanos(std::llround(std::min(frame.span, 9e9) * 1e9)))));
    if (memory.peak)
        svg += label(width - left, height - 4, "end", fmt::format("peak {}", human(*memory.peak)));
    return svg + "</svg>";
}

}  // namespace holdfast
