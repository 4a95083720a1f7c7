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

// Whether it is why a process ended, and never the end itself: a leak, too much data, a NaN loss.
bool is_explanation(const Finding& finding);

// Whether somebody or something outside ended the program.
bool stopped_from_outside(const Finding& end);

// `findings` must be about one death, and at least one must not be an explanation. The more
// specific explains the more general; a certain end is not replaced by a likely one.
Ranked rank(std::vector<Finding> findings);

}  // namespace holdfast
