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
    std::vector<Where> others;  // that may have launched it, too; only the first of them
    std::size_t more = 0;       // how many others are left out
};

// Whether launches were watched: then the line that noticed the error is known not to be the one.
bool launches_watched(const Death& death);

// Found by the kernel that the assertion names, or without an assertion by kernels that check their
// input. Of several lines it is the first, because what is launched first runs first.
std::optional<LaunchLine> line_of_assertion(const Death& death,
                                            const std::optional<DeviceAssertion>& assertion);

// An illegal access names no kernel, so this needs a single line that launched anything.
std::optional<LaunchLine> line_of_access(const Death& death);

}  // namespace holdfast
