// The brink: memory that was requested long ago and is touched only now leaves no request to
// refuse. The program can only get an error between two steps, or in callbacks on a thread of its
// own.
#pragma once

#include <cstdint>

namespace holdfast::agent {

struct BrinkView {
    bool known = false;
    std::uint64_t room = 0, limit = 0;
};

// How much is left, read from the kernel now.
BrinkView look_over_brink();

// A step has ended. True: the guard is on, and another step like the last ones would not fit; this
// has been recorded. Cheap while much is left.
bool step_would_cross();

// Sleeps until the supervisor says that memory is nearly used up, at most so long. Returns how
// often it has said so; `seen` is the count that the caller already knows.
std::uint32_t wait_for_brink(std::uint32_t seen, std::int64_t nanoseconds);

}  // namespace holdfast::agent
