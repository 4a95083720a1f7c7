// Which frame of a Python stack is the user's own.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/death.h"
#include "model/finding.h"
#include "model/verdict.h"

namespace holdfast {

// Not a frame of an installed package, of the standard library or of the interpreter.
bool is_own_code(std::string_view file);

// The innermost frame in the user's own code; `frames` outermost first.
std::optional<Where> innermost_own(const std::vector<Frame>& frames);

// Where this death happened, as far as its last words say.
std::optional<Where> where_it_died(const Death& death);

}  // namespace holdfast
