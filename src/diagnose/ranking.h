// Which of several findings is the answer.
#pragma once

#include <string>
#include <vector>

#include "model/finding.h"

namespace holdfast {

struct Ranked {
    Finding end;
    Finding root;
    std::string choice;  // why, where several matched; may be empty
    std::vector<Finding> rest;
};

// `findings` speak of one death and are not empty. The more specific explains the more general; a
// certain one is not replaced as the end by one that is merely likely.
Ranked rank(std::vector<Finding> findings);

}  // namespace holdfast
