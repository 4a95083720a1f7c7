// Which of several findings is the answer.
#pragma once

#include <vector>

#include "diagnose/choice.h"
#include "diagnose/finding.h"

namespace holdfast {

struct Ranked {
    Finding end;
    Finding root;
    Choice choice{};  // why, where several matched
    std::vector<Finding> rest{};
};

// Why a process ended, but never the end itself: a leak, too much data, a loss that was NaN.
bool is_explanation(const Finding& finding);

// Somebody or something outside decided that it shall end.
bool stopped_from_outside(const Finding& end);

// `findings` are about one death, are not empty, and are not explanations only. The more specific
// explains the more general; a certain one is not replaced as the end by one that is merely likely.
Ranked rank(std::vector<Finding> findings);

}  // namespace holdfast
