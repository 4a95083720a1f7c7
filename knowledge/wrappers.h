// Programs whose only work is to start another one: what they start is the user's program.
#pragma once

#include <string_view>

namespace holdfast {

// By the name the kernel shows (15 characters at most).
bool is_wrapper_program(std::string_view name);

}  // namespace holdfast
