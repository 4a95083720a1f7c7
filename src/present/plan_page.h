// A plan for the terminal: the answer first, then where the memory goes, then what would help.
#pragma once

#include <string>

#include "fit/plan/plan.h"
#include "present/style.h"

namespace holdfast {

std::string plan_page(const fit::Plan& plan, const Style& style);

}  // namespace holdfast
