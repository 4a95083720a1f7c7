// A verdict's panel as HTML, with the memory curve as SVG. Its colours are readable on light and
// dark pages; all text is escaped.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "present/headline.h"
#include "present/markup.h"
#include "present/notebook_message.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t sites_in_panel = 4;

std::string code(std::string_view text) { return formatted("<code>{}</code>", escaped(text)); }

std::string paragraph(const std::string& inner) {
    return formatted("<div style=\"margin:4px 0\">{}</div>", inner);
}

std::string block(std::string_view text) {
    return formatted(
        "<pre style=\"margin:2px 0 2px 1em;white-space:pre-wrap\"><code>{}</code></pre>",
        escaped(text));
}

std::string head(const Verdict& verdict) {
    const bool bad = verdict.outcome == Outcome::died || verdict.outcome == Outcome::stuck;
    const std::string line =
        verdict.outcome == Outcome::running ? "Still running" : headline_of(verdict.end);
    std::string text =
        formatted("<b style=\"color:{}\">{}</b>", bad ? "#d32f2f" : "inherit", escaped(line));
    if (verdict.outcome != Outcome::running)
        text +=
            " <span style=\"opacity:.7\">" + escaped(cause_tag(verdict.end, Style{})) + "</span>";
    return paragraph(text);
}

std::string because(const Verdict& verdict) {
    if (verdict.root.cause == verdict.end.cause) return {};
    return paragraph(
        formatted("<b>Because:</b> {} <span style=\"opacity:.7\">{}</span>",
                  escaped_with_code(verdict.root.summary.empty() ? verdict.root.cause->meaning
                                                                 : verdict.root.summary),
                  escaped(cause_tag(verdict.root, Style{}))));
}

std::string place(const Verdict& verdict) {
    const auto& where = verdict.root.where ? verdict.root.where : verdict.end.where;
    if (!where) return {};
    std::string text = formatted("<b>{}</b>", escaped(place_name(where->file, where->line)));
    if (!where->function.empty()) text += " in " + code(where->function);
    if (!where->text.empty()) text += block(trim(where->text));
    return paragraph(text);
}

std::string sites(const MemorySummary& memory) {
    std::string rows;
    for (std::size_t i = 0; i < std::min(sites_in_panel, memory.top_sites.size()); ++i) {
        const MemorySite& site = memory.top_sites[i];
        rows += formatted(
            "<tr><td style=\"text-align:right;padding:0 8px 0 0\">{}</td><td "
            "style=\"text-align:left\">{}</td></tr>",
            human_with_error(site.live, site.error), code(place_name(site.file, site.line)));
    }
    return rows.empty() ? rows
                        : "<table style=\"margin:4px 0;font-size:12px\">" + rows + "</table>";
}

std::string fixes(const Verdict& verdict) {
    std::vector<Fix> all = verdict.root.fixes;
    if (!(verdict.root.cause == verdict.end.cause))
        all.insert(all.end(), verdict.end.fixes.begin(), verdict.end.fixes.end());
    if (all.empty()) return {};
    std::string items;
    for (const Fix& fix : all)
        items += "<li>" + escaped_with_code(fix.text) +
                 (fix.code.empty() ? std::string() : block(fix.code)) + "</li>";
    return paragraph("<b>Do now</b><ol style=\"margin:2px 0 2px 1.5em;padding:0\">" + items +
                     "</ol>");
}

}  // namespace

std::string notebook_panel(const Verdict& verdict) {
    const bool bad = verdict.outcome == Outcome::died || verdict.outcome == Outcome::stuck;
    std::string html = formatted(
        "<div class=\"holdfast-verdict\" data-run=\"{}\" data-slug=\"{}\" "
        "style=\"border:1px solid {};border-left-width:4px;border-radius:4px;padding:6px 12px;"
        "margin:4px 0;max-width:48em;font-family:system-ui,sans-serif;font-size:13px;"
        "line-height:1.45\">",
        escaped(verdict.run.id), verdict.root.cause->slug, bad ? "#d32f2f" : "#2e7d8c");
    html += head(verdict);
    if (!verdict.end.summary.empty() && verdict.outcome != Outcome::running)
        html += paragraph(escaped_with_code(verdict.end.summary));
    html += because(verdict) + place(verdict) + svg_curve(verdict.memory) + sites(verdict.memory) +
            fixes(verdict);
    html += "<div style=\"opacity:.7;margin:4px 0\">" + code("holdfast why " + verdict.run.id);
    if (verdict.outcome != Outcome::running && !(verdict.root.cause == "clean-exit"_cause))
        html += " &middot; " + code("holdfast explain " + std::string(verdict.root.cause->code));
    return html + "</div></div>";
}

// Memory against its limit as a small SVG picture, drawn with the page's own text colour.

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

// Labels go beside the picture: in a narrow window the picture shrinks, and text must not.
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
