// The verdict before it is put into words.
#pragma once

#include <vector>

#include "diagnose/finding.h"
#include "diagnose/ranking.h"
#include "diagnose/stall/standstill.h"
#include "model/verdict.h"

namespace holdfast {

struct Judgement {
    Outcome outcome = Outcome::running;
    DecidingProcess process;
    Finding end, root;
    Choice choice;
    std::vector<Finding> contributing;
    std::vector<PythonStack> python_stack;
    std::vector<NativeFrame> native_stack;
    // In a standstill, the stacks of its threads replace the others.
    std::optional<Standstill> stand;
};

}  // namespace holdfast
