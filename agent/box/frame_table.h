// Frames and texts in the slot, each written once and named by number.
#pragma once

#include <cstdint>

#include "agent/base/text.h"
#include "record/agent_format.h"

namespace holdfast::agent {

// The number of this place in the slot's frame table, added on first sight. `no_frame` when there
// is no room or no slot. Takes a lock: call with Busy set, never from a crash handler.
std::uint16_t intern_frame(Text file, Text function, std::uint32_t line);

}  // namespace holdfast::agent
