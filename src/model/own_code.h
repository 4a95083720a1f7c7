// Which frame of a Python stack is the user's own.
#pragma once

#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

// Not a file of an installed package, of the standard library or of the interpreter.
bool is_own_code(std::string_view file);

// The innermost frame in the user's own code, null where there is none; `frames` outermost first.
const Frame* innermost_own_frame(const std::vector<Frame>& frames);

}  // namespace holdfast
