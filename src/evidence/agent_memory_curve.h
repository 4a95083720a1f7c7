// Live memory of some sites over time, as one figure. Pure.
#pragma once

#include <cmath>
#include <vector>

#include "evidence/growth.h"
#include "evidence/run_clock.h"
#include "record/agent_box.h"

namespace holdfast {

// Errors of several sites are independent.
class LiveCurve {
public:
    void add(const AgentSiteRecord& site);
    GrowthSeries series(const AgentRecord& agent, const RunClock& clock) const;
    Bytes now() const { return Bytes{static_cast<std::uint64_t>(now_)}; }
    // 19 times in 20 the truth is within this of now().
    Bytes band() const { return Bytes{static_cast<std::uint64_t>(2 * std::sqrt(variance_))}; }
    // A tenth and more of it was asked for by threads without Python frames.
    bool borrowed() const { return borrowed_ > 0.1 * now_; }

private:
    std::vector<double> live_;
    double now_ = 0, borrowed_ = 0, variance_ = 0;
};

}  // namespace holdfast
