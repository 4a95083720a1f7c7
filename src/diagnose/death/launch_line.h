// The line that launched the kernel which failed on the GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/death/death.h"
#include "diagnose/text/device_assertion.h"
#include "model/statement.h"

namespace holdfast {

struct LaunchLine {
    Where where;
    bool only_one = false;  // no other line can have launched it
    std::string kernel;     // the first that it launched
    int kernels = 0;        // so many different ones
    std::uint64_t count = 0;
    std::vector<Where> others;  // that may have launched it as well, the first of them
    std::size_t more = 0;       // beyond these
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
