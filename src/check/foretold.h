// Compares what `check` found at the start with how the run ended.
#pragma once

#include "model/check_report.h"
#include "model/verdict.h"

namespace holdfast::check {

// Names the codes that were found, notes left out; an end in the environment, at a limit or for
// lack of shared memory quotes the finding of its own cause.
void add_foretold(Verdict& verdict, const CheckReport& report);

}  // namespace holdfast::check
