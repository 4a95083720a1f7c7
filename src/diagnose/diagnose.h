// From everything known about a run to one answer: how it ended, why, and what to do about it.
#pragma once

#include "model/evidence.h"
#include "model/verdict.h"

namespace holdfast {

// Pure: the same evidence gives the same verdict, today or from a file next year.
Verdict diagnose(const Evidence& evidence);

}  // namespace holdfast
