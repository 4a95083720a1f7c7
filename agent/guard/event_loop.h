// asyncio's loop: an error in a task is kept in the task, and the others go on taking memory. So
// the loop itself gets one, where it has run one task and not yet taken the next from its queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/recipient.h"

namespace holdfast::agent {

bool runs_event_loop(const CalledFunction* stack, std::size_t count);

// Of the calling thread: whether an error now would leave the loop's queue as it is.
bool is_between_tasks();

}  // namespace holdfast::agent
