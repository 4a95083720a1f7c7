// Prints to stderr without ever waiting for its reader.
#pragma once

#include <string_view>

namespace holdfast::cli {

// To the terminal or pipe the program wrote to, or to `fd`, which leads there. Its reader may have
// stopped reading for good, and nothing must wait for that.
void say(std::string_view text, int fd = -1);

}  // namespace holdfast::cli
