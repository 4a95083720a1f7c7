#include "diagnose/growth/live_curve.h"

#include <algorithm>
#include <cmath>

namespace holdfast {

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
