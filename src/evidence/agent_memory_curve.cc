#include "evidence/agent_memory_curve.h"

#include <algorithm>
#include <cmath>

namespace holdfast {

void LiveCurve::add(const AgentSiteRecord& site) {
    live_.resize(std::max(live_.size(), site.live_at_window.size()));
    for (std::size_t i = 0; i < site.live_at_window.size(); ++i)
        live_[i] += static_cast<double>(site.live_at_window[i]);
    const auto live = static_cast<double>(site.live_bytes);
    now_ += live;
    const auto error = static_cast<double>(site.error_bytes);
    variance_ += error * error;
    if ((site.flags & format::site_borrowed_stack) != 0) borrowed_ += live;
}

GrowthSeries LiveCurve::series(const AgentRecord& agent, const RunClock& clock) const {
    GrowthSeries series;
    series.error = std::sqrt(variance_);
    std::int64_t last = 0;
    for (std::size_t i = 0; i < live_.size() && i < agent.memory.windows.size(); ++i) {
        last = agent.memory.windows[i].end;
        series.points.push_back({clock.at(last), agent.memory.windows[i].step, live_[i]});
    }
    const std::int64_t now = std::max({agent.steps.last, agent.place_time, agent.ended});
    if (now > last)
        series.points.push_back(
            {clock.at(now),
             std::max(agent.steps.count, series.points.empty() ? 0 : series.points.back().step),
             now_});
    return series;
}

}  // namespace holdfast
