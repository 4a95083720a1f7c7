// Pipes, and writing all of something.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace holdfast {

struct Pipe {
    UniqueFd reader, writer;

    // Closed on exec.
    static Result<Pipe> make();
};

// Writes all of it, however long that takes; waits where the descriptor is non-blocking. False on
// failure, with errno set.
bool write_all(int fd, std::string_view text);

// The same, but gives up once nothing could be written for `patience`.
bool write_within(int fd, std::string_view text, Nanos patience);

}  // namespace holdfast
