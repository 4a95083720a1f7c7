// Records what the guard refused, or would have refused: in this process's slot with the Python
// stack and, for the run's first refusal, in the page from which the supervisor reports it.
#pragma once

#include <cstdint>

#include "agent/base/text.h"
#include "record/agent_format.h"
#include "record/guard_format.h"

namespace holdfast::agent {

struct Refused {
    format::GuardEventKind kind{};
    bool really = false;  // false: only warned of
    std::uint64_t asked = 0, room = 0, limit = 0;
};

// With Busy set.
void note_refusal(const Refused& what);

Text text_at(const format::AgentSlot& slot, format::TextRef ref);
Text frame_file(const format::AgentSlot& slot, const format::AgentFrame& frame);

}  // namespace holdfast::agent
