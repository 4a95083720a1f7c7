// Whether a figure grows steadily until the end, or only rose once. Also makes such a figure from
// live memory. Pure.
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

// A recording may hold any figure: saturates at what the type holds.
constexpr std::uint64_t whole(double value) {
    constexpr double most = 9e18;
    return static_cast<std::uint64_t>(std::clamp(value, 0.0, most));
}
constexpr Bytes bytes_of(double bytes) { return Bytes{whole(bytes)}; }

// Growth below this is no leak: 64 MiB, or a tenth of a smaller limit.
Bytes least_growth(std::optional<Bytes> limit);

// Nothing for warm-up, a plateau, a saw-tooth, a single jump, or a rise within its own error. Needs
// at least 20 steps if steps are counted, else at least 8 windows.
std::optional<GrowthSeen> judge_growth(const GrowthSeries& series, std::optional<Bytes> limit);

// Live memory of some sites over time, as one figure. Adds up errors as independent ones. Pure.
class LiveCurve {
public:
    void add(const SiteHistory& site);
    // `agent` must have its history.
    GrowthSeries series(const AgentEvidence& agent) const;
    Bytes now() const { return bytes_of(now_); }
    // 19 times in 20 the truth is within this of now().
    Bytes band() const { return bytes_of(2 * std::sqrt(variance_)); }
    // Threads without Python frames asked for at least a tenth of it.
    bool borrowed() const { return borrowed_ > 0.1 * now_; }

private:
    std::vector<double> live_;
    double now_ = 0, borrowed_ = 0, variance_ = 0;
};

}  // namespace holdfast
