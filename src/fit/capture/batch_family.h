// Derives a step at any batch size from captures at a few batch sizes.
#pragma once

#include <optional>
#include <vector>

#include "fit/capture/capture.h"

namespace holdfast::fit {

class BatchFamily {
public:
    // Keeps captures apart whose events differ in more than numbers.
    void add(Capture capture);

    // Exact at a batch that was captured; else every number lies on the line (or parabola) through
    // the two (or three) nearest captures of the same structure. Nothing if there are fewer than
    // two.
    std::optional<Capture> at(std::uint64_t batch) const;

    const std::vector<Capture>& captures() const { return captures_; }

private:
    std::vector<Capture> captures_;  // by batch
};

// Whether two captures have the same events, apart from numbers.
bool same_structure(const Capture& a, const Capture& b);

}  // namespace holdfast::fit
