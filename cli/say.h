// Prints to stderr without ever waiting for its reader.
#pragma once

#include <unistd.h>

#include <string_view>

#include "base/pipe.h"

namespace holdfast::cli {

// Prints to stderr, or to `fd`, which leads to the same reader. That reader may have stopped
// reading for good, and nothing must wait for it.
inline void say(std::string_view text, int fd = -1) {
    write_within(fd >= 0 ? fd : STDERR_FILENO, text, std::chrono::seconds(2));
}

}  // namespace holdfast::cli
