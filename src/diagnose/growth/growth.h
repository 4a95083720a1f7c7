// Whether a figure grows steadily until the end, or only rose once. Pure.
#pragma once

#include <algorithm>
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

}  // namespace holdfast
