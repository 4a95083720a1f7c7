// Memory that a library call takes in addition to its tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace holdfast::fit {

// How a figure was come by.
enum class Grade : std::uint8_t { measured, between, nearest, rule };

struct Workspace {
    std::vector<Bytes> sizes;  // alive together
    Grade grade = Grade::rule;
};

// A table may come from anywhere, and a figure in it may be beyond what an integer holds.
Bytes within_reason(double bytes);

}  // namespace holdfast::fit
