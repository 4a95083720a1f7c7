// Words on stderr that never make anybody wait.
#pragma once

#include <string_view>

namespace holdfast::cli {

// To the terminal or pipe the program wrote to. Its reader may have stopped reading for good, and
// nothing must wait for that.
void say(std::string_view text);

}  // namespace holdfast::cli
