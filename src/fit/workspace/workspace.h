// Memory that a library call takes in addition to its tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace holdfast::fit {

// Where a figure comes from.
enum class Grade : std::uint8_t { measured, between, nearest, rule };

struct Workspace {
    std::vector<Bytes> sizes;  // all alive at the same time
    Grade grade = Grade::rule;
};

// A table may come from anywhere: limits a figure to what an integer holds.
Bytes within_reason(double bytes);

}  // namespace holdfast::fit
