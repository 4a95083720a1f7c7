// Live memory of some sites over time, as one figure. Pure.
#pragma once

#include <cmath>
#include <vector>

#include "diagnose/growth/growth.h"
#include "model/agent_evidence.h"

namespace holdfast {

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
