// The line that launched the kernel which failed on the GPU.
#pragma once

#include <optional>

#include "diagnose/death.h"
#include "diagnose/device_assertion.h"
#include "model/finding.h"

namespace holdfast {

struct LaunchLine {
    Where where;
    bool only_one = false;  // no other line can have launched it
    Observation seen;
};

// Whether launches were watched: then the line that noticed the error is known not to be the one.
bool launches_watched(const Death& death);

// By the assertion's kernel; without its words, by the kernels that check what they are given. The
// first of several lines: what is launched first runs first.
std::optional<LaunchLine> line_of_assertion(const Death& death,
                                            const std::optional<DeviceAssertion>& assertion);

// An illegal access names no kernel: only where a single line launched anything.
std::optional<LaunchLine> line_of_access(const Death& death);

}  // namespace holdfast
