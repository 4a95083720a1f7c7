// Memory against its limit as a small SVG picture, drawn with the page's own text colour.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "present/notebook_message.h"

namespace holdfast {
namespace {

constexpr double svg_width = 560;
constexpr double height = 70;
constexpr double top = 2;
constexpr std::size_t most_points = 200;

struct Frame2d {
    double first = 0, span = 0, most = 1;

    double x(const CurvePoint& point) const {
        const double share = span > 0 ? (seconds(point.time) - first) / span : 1;
        return std::clamp(share, 0.0, 1.0) * svg_width;
    }
    double y(double bytes) const {
        return height - std::clamp(bytes / most, 0.0, 1.0) * (height - top);
    }
};

// Beside the picture, not in it: in a narrow window the picture shrinks, and text must not.
std::string labels(const std::string& left, const std::string& right) {
    return formatted(
        "<div style=\"display:flex;justify-content:space-between;font-size:11px;opacity:.75\">"
        "<span>{}</span><span>{}</span></div>",
        left, right);
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
        line += formatted("{:.1f},{:.1f} ", frame.x(points[i]),
                          frame.y(static_cast<double>(points[i].used.count)));
    line += formatted("{:.1f},{:.1f}", frame.x(points.back()),
                      frame.y(static_cast<double>(points.back().used.count)));
    std::string picture = formatted("<div style=\"max-width:{:.0f}px\">", svg_width);
    if (limit_shown) picture += labels("", formatted("limit {}", human(*limit)));
    picture += formatted(
        "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"100%\" height=\"{1:.0f}\" "
        "preserveAspectRatio=\"none\" style=\"display:block;height:{1:.0f}px\" role=\"img\" "
        "aria-label=\"memory over time\">"
        "<polygon points=\"{2:.1f},{1:.0f} {3} {4:.1f},{1:.0f}\" fill=\"#e8710a\" "
        "fill-opacity=\".25\"/><polyline points=\"{3}\" fill=\"none\" stroke=\"#e8710a\" "
        "stroke-width=\"1.5\" vector-effect=\"non-scaling-stroke\"/>",
        svg_width, height, frame.x(points.front()), line, frame.x(points.back()));
    if (limit_shown)
        picture += formatted(
            "<line x1=\"0\" y1=\"{0:.1f}\" x2=\"{1:.0f}\" y2=\"{0:.1f}\" stroke=\"#d32f2f\" "
            "stroke-dasharray=\"4 3\" vector-effect=\"non-scaling-stroke\"/>",
            frame.y(static_cast<double>(limit->count)), svg_width);
    picture += "</svg>";
    const Nanos shown(std::llround(std::min(frame.span, 9e9) * 1e9));
    picture += labels(formatted("last {}", human(shown)),
                      memory.peak ? formatted("peak {}", human(*memory.peak)) : std::string());
    return picture + "</div>";
}

}  // namespace holdfast
