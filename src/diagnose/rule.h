// A rule looks at one death and says what it knows about it, or nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnose/autopsy.h"
#include "diagnose/finding.h"

namespace holdfast {

// Pure. Rules are asked about the end of the run and about the end of every child that died: look
// at `Death::pid`'s own figures, and never assume that it is the main process.
using Rule = std::optional<Finding> (*)(const Autopsy&);

// All rules, in the order of the catalogue.
std::span<const Rule> all_rules();

// Why the run does not move, or did not when somebody stopped it.
std::optional<Finding> stall_of(const Autopsy& death);

// What each rule found.
std::vector<Finding> findings_about(const Autopsy& death);

}  // namespace holdfast
