// Compares what `check` found at the start with how the run ended.
#pragma once

#include "model/check_report.h"
#include "model/verdict.h"

namespace holdfast::check {

// Adds the codes that were found, except notes. If the program failed in its environment, at a
// limit or for lack of shared memory, quotes the finding with the same cause.
void add_foretold(Verdict& verdict, const CheckReport& report);

}  // namespace holdfast::check
