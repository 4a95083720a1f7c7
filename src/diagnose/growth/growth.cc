#include "diagnose/growth/growth.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/time.h"

namespace holdfast {
namespace {

constexpr std::uint64_t least_steps = 20;
constexpr std::size_t least_points_by_step = 5;
constexpr std::size_t least_points_if_straight = 3;
constexpr std::size_t least_windows = 8;  // one point more than windows

// One point of the curve: x is steps, or seconds if no steps are counted.
struct Point {
    double x = 0;
    double y = 0;
};

struct FittedLine {
    double slope = 0, slope_error = 0, fit = 0;  // fit: R squared
};

FittedLine fitted(std::span<const Point> points) {
    const auto n = static_cast<double>(points.size());
    double mean_x = 0;
    double mean_y = 0;
    for (const Point& p : points) {
        mean_x += p.x / n;
        mean_y += p.y / n;
    }
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const Point& p : points) {
        xx += (p.x - mean_x) * (p.x - mean_x);
        xy += (p.x - mean_x) * (p.y - mean_y);
        yy += (p.y - mean_y) * (p.y - mean_y);
    }
    if (xx <= 0 || yy <= 0) return {};
    const double slope = xy / xx;
    const double left = std::max(0.0, yy - slope * xy);
    return {slope, n > 2 ? std::sqrt(left / (n - 2) / xx) : 0.0, 1.0 - left / yy};
}

// How much it rose while x went through its last quarter, relative to an even share of the whole
// rise.
double pace_at_end(std::span<const Point> points) {
    const Point& last = points.back();
    const double span = last.x - points.front().x;
    const double from = last.x - span / 4;
    // The last quarter rarely begins at a point: interpolate.
    std::size_t i = points.size() - 1;
    while (i > 0 && points[i - 1].x > from) --i;
    if (i == 0) return 0;
    const Point& a = points[i - 1];
    const Point& b = points[i];
    const double y = a.y + (b.y - a.y) * (from - a.x) / (b.x - a.x);
    const double rise = last.y - points.front().y;
    return rise > 0 ? (last.y - y) / (rise / 4) : 0;
}

bool steady(std::span<const Point> points, double error) {
    const double rise = points.back().y - points.front().y;
    const double span = points.back().x - points.front().x;
    if (rise <= 0 || span <= 0) return false;
    std::size_t rising = 0;
    double largest = 0;
    double deepest = 0;
    double highest = points.front().y;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double up = points[i].y - points[i - 1].y;
        const double even = rise * (points[i].x - points[i - 1].x) / span;
        if (up > 0.25 * even) ++rising;
        // A long window may hold much of the rise, so only what exceeds its even share is a jump.
        largest = std::max(largest, up - even);
        highest = std::max(highest, points[i].y);
        deepest = std::max(deepest, highest - points[i].y);
    }
    const auto most = static_cast<double>(points.size() - 1) * 0.7;
    if (static_cast<double>(rising) < most) return false;
    if (largest > 0.35 * rise) return false;              // a single jump: something was loaded
    if (deepest > 0.25 * rise + 3 * error) return false;  // it falls again and again: a saw-tooth
    if (fitted(points).fit < 0.85) return false;
    return pace_at_end(points) >= 0.5;  // else it has flattened
}

// Points before the first step, and points without a new step, say nothing about growth per step.
std::vector<Point> by_step(const GrowthSeries& series) {
    std::vector<Point> points;
    for (const GrowthPoint& point : series.points) {
        if (point.step == 0) continue;
        const auto x = static_cast<double>(point.step);
        if (!points.empty() && x <= points.back().x)
            points.back().y = point.bytes;
        else
            points.push_back({x, point.bytes});
    }
    return points;
}

std::vector<Point> by_time(const GrowthSeries& series) {
    std::vector<Point> points;
    for (const GrowthPoint& point : series.points)
        if (points.empty() || seconds(point.time) > points.back().x)
            points.push_back({seconds(point.time), point.bytes});
    return points;
}

// The longest final part of the curve that grows: all of it, or what follows a plateau. Not what
// follows a fall: a cache that is emptied and fills again is not a leak.
std::span<const Point> growing_end(std::span<const Point> points, std::size_t least, double error) {
    double before = points.empty() ? 0 : points.front().y;
    for (std::size_t skip = 0; skip + least <= points.size() && skip <= points.size() / 2; ++skip) {
        const std::span<const Point> end = points.subspan(skip);
        before = std::max(before, end.front().y);
        const double rise = end.back().y - end.front().y;
        if (before - end.front().y > 0.2 * rise + 3 * error) continue;
        if (steady(end, error)) return end;
    }
    return {};
}

// A death often comes at a peak: while what grows is being copied, or in a step that never ends. So
// if the last point leaps up, judge the curve without it.
std::span<const Point> growing_or_leaping(const std::vector<Point>& points, std::size_t least,
                                          double error) {
    const std::span<const Point> end = growing_end(points, least, error);
    const bool leaps = points.size() > 1 && points.back().y > points[points.size() - 2].y;
    if (!end.empty() || !leaps) return end;
    return growing_end(std::span(points).first(points.size() - 1), least, error);
}

// Windows get longer during a run, so if steps begin late few windows have any; but each then has
// many steps.
bool straight(std::span<const Point> points) {
    constexpr double many_steps = 10;
    if (points.size() < least_points_if_straight) return false;
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
        if (points[i].x - points[i - 1].x < many_steps) return false;
    return fitted(points).fit >= 0.98;
}

}  // namespace

Bytes least_growth(std::optional<Bytes> limit) {
    const Bytes usual = Bytes::mib(64);
    if (!limit || limit->count == 0) return usual;
    return std::min(usual, Bytes{limit->count / 10});
}

std::optional<GrowthSeen> judge_growth(const GrowthSeries& series, std::optional<Bytes> limit) {
    if (series.points.size() < 2) return std::nullopt;
    const bool stepped = series.points.back().step >= least_steps;
    const std::vector<Point> points = stepped ? by_step(series) : by_time(series);
    const bool few = stepped && points.size() < least_points_by_step;
    std::size_t least = stepped ? least_points_by_step : least_windows + 1;
    if (few) least = least_points_if_straight;
    const std::span<const Point> end = growing_or_leaping(points, least, series.error);
    if (end.empty() || (few && !straight(end))) return std::nullopt;
    const double rise = end.back().y - end.front().y;
    const double span = end.back().x - end.front().x;
    if (rise < static_cast<double>(least_growth(limit).count) || rise < 4 * series.error)
        return std::nullopt;
    if (stepped && span < static_cast<double>(least_steps - 1)) return std::nullopt;

    GrowthSeen seen;
    seen.in_all = bytes_of(rise);
    seen.windows = static_cast<int>(end.size());
    const FittedLine line = fitted(end);
    if (stepped) {
        seen.steps = whole(span);
        seen.per_step = line.slope;
        seen.per_step_error = std::hypot(line.slope_error, std::sqrt(2.0) * series.error / span);
        // Over the time those steps took.
        for (const GrowthPoint& point : series.points) {
            if (static_cast<double>(point.step) < end.front().x) continue;
            const double minutes = seconds(between(point.time, series.points.back().time)) / 60;
            if (minutes > 0) seen.per_minute = rise / minutes;
            break;
        }
    } else {
        seen.per_minute = line.slope * 60;
    }
    return seen;
}

void LiveCurve::add(const SiteHistory& site) {
    live_.resize(std::max(live_.size(), site.at_windows.size()));
    for (std::size_t i = 0; i < site.at_windows.size(); ++i)
        live_[i] += static_cast<double>(site.at_windows[i].count);
    const auto live = static_cast<double>(site.live.count);
    now_ += live;
    const auto error = static_cast<double>(site.error.count);
    variance_ += error * error;
    if (site.borrowed) borrowed_ += live;
}

GrowthSeries LiveCurve::series(const AgentEvidence& agent) const {
    GrowthSeries series;
    series.error = std::sqrt(variance_);
    const std::vector<MemoryWindow>& windows = agent.memory->windows;
    const std::size_t known = std::min(live_.size(), windows.size());
    for (std::size_t i = 0; i < known; ++i)
        series.points.push_back({windows[i].end, windows[i].step, live_[i]});
    const std::optional<RunTime> latest = agent.memory->latest;
    if (latest && (known == 0 || *latest > windows[known - 1].end))
        series.points.push_back(
            {*latest,
             std::max(agent.steps.count, series.points.empty() ? 0 : series.points.back().step),
             now_});
    return series;
}

}  // namespace holdfast
