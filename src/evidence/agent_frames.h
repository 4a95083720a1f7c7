// The frames behind the numbers that an agent's record has for them.
#pragma once

#include <vector>

#include "model/verdict.h"
#include "record/agent_box.h"

namespace holdfast {

// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack);

}  // namespace holdfast
