// Whether a figure grows steadily until the end, or only rose once; and live memory as such a
// figure. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/agent_evidence.h"

namespace holdfast {

struct GrowthPoint {
    RunTime time{};
    std::uint64_t step = 0;
    double bytes = 0;
};

struct GrowthSeries {
    std::vector<GrowthPoint> points;  // oldest first; the last is the latest known
    double error = 0;                 // one standard deviation of one point, in bytes
};

// A recording may hold any figure: what is too large for the type is the most it holds.
constexpr std::uint64_t whole(double value) {
    constexpr double most = 9e18;
    return static_cast<std::uint64_t>(std::clamp(value, 0.0, most));
}
constexpr Bytes bytes_of(double bytes) { return Bytes{whole(bytes)}; }

// What is too little to call a leak: 64 MiB, or a tenth of a smaller limit.
Bytes least_growth(std::optional<Bytes> limit);

// Nothing for warm-up, a plateau, a saw-tooth, a single jump, and for what is within its own error.
// Over at least 20 steps where steps are counted; else over at least 8 windows of time.
std::optional<GrowthSeen> judge_growth(const GrowthSeries& series, std::optional<Bytes> limit);

// Live memory of some sites over time, as one figure. Pure.
// Errors of several sites are independent.
class LiveCurve {
public:
    void add(const SiteHistory& site);
    // `agent`: with its history.
    GrowthSeries series(const AgentEvidence& agent) const;
    Bytes now() const { return bytes_of(now_); }
    // 19 times in 20 the truth is within this of now().
    Bytes band() const { return bytes_of(2 * std::sqrt(variance_)); }
    // A tenth and more of it was asked for by threads without Python frames.
    bool borrowed() const { return borrowed_ > 0.1 * now_; }

private:
    std::vector<double> live_;
    double now_ = 0, borrowed_ = 0, variance_ = 0;
};

}  // namespace holdfast
