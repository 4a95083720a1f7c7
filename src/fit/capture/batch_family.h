// Derives a step at any batch size from captures of it at a few.
#pragma once

#include <optional>
#include <vector>

#include "fit/capture/capture.h"

namespace holdfast::fit {

class BatchFamily {
public:
    // Captures whose events differ in more than numbers are kept apart.
    void add(Capture capture);

    // Exact where it was captured; else every number on the line (or the parabola) through the two
    // (or three) captures of one structure nearest to it. Nothing when there are fewer than two.
    std::optional<Capture> at(std::uint64_t batch) const;

    const std::vector<Capture>& captures() const { return captures_; }

private:
    std::vector<Capture> captures_;  // by batch
};

// Whether two captures tell the same story with other numbers.
bool same_structure(const Capture& a, const Capture& b);

}  // namespace holdfast::fit
