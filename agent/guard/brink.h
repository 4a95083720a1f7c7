// The brink: memory that was requested long ago and is touched only now leaves no request to
// refuse. All that can be done then is done between two steps, or in callbacks on a thread of the
// user's.
#pragma once

#include <cstdint>

namespace holdfast::agent {

struct BrinkView {
    bool known = false;
    std::uint64_t room = 0, limit = 0;
};

// What is left, asked of the kernel now.
BrinkView look_over_brink();

// A step has ended. True: its like would not fit any more, going by the last steps, and the guard
// is on; it has been written down. Cheap while much is left.
bool step_would_cross();

// Sleeps until the supervisor says that memory is nearly used up, at most so long. Returns how
// often it has said so; `seen` is what the caller knew.
std::uint32_t wait_for_brink(std::uint32_t seen, std::int64_t nanoseconds);

}  // namespace holdfast::agent
