// What `holdfast check` found, for the terminal: worst first, then one line about the rest.
#pragma once

#include <string>

#include "model/check_report.h"
#include "present/style.h"

namespace holdfast {

std::string check_page(const CheckReport& report, const Style& style);

// One line for each finding that blocks, for stderr; empty if there is none.
std::string blocking_notice(const CheckReport& report, const Style& style);

}  // namespace holdfast
