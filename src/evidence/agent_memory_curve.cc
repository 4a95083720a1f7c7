#include "evidence/agent_memory_curve.h"

#include <algorithm>
#include <cmath>

namespace holdfast {

SmallObjects::SmallObjects(const AgentRecord& agent) {
    for (const AgentSiteRecord& site : agent.memory.sites)
        if ((site.flags & format::site_small_objects) != 0)
            sampled_ += static_cast<double>(site.live_bytes);
    if (sampled_ <= 0 || agent.memory.windows.empty()) return;
    const auto first = static_cast<double>(agent.memory.windows.front().arenas);
    for (const format::AgentWindow& window : agent.memory.windows)
        grown_.push_back(std::max(0.0, static_cast<double>(window.arenas) - first));
    grown_now_ = std::max(0.0, static_cast<double>(agent.memory.arena_bytes) - first);
    // A first window that came late has most of the growth before it: then the samples know more.
    if (grown_now_ < sampled_ / 2) grown_.clear();
}

bool SmallObjects::shared(const AgentSiteRecord& site) const {
    return !grown_.empty() && (site.flags & format::site_small_objects) != 0;
}

double SmallObjects::at(const AgentSiteRecord& site, std::size_t window) const {
    if (!shared(site)) return static_cast<double>(site.live_at_window[window]);
    return grown_[window] * static_cast<double>(site.live_bytes) / sampled_;
}

double SmallObjects::now(const AgentSiteRecord& site) const {
    const auto live = static_cast<double>(site.live_bytes);
    return shared(site) ? grown_now_ * live / sampled_ : live;
}

double SmallObjects::error(const AgentSiteRecord& site) const {
    const auto error = static_cast<double>(site.error_bytes);
    return shared(site) ? grown_now_ * error / sampled_ : error;
}

void LiveCurve::add(const AgentSiteRecord& site, const SmallObjects& small) {
    live_.resize(std::max(live_.size(), site.live_at_window.size()));
    for (std::size_t i = 0; i < site.live_at_window.size(); ++i) live_[i] += small.at(site, i);
    now_ += small.now(site);
    const double error = small.error(site);
    variance_ += error * error;
    if ((site.flags & format::site_borrowed_stack) != 0) borrowed_ += small.now(site);
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
