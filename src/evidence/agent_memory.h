// What an agent recorded of its process's memory, as the evidence has it.
#pragma once

#include <vector>

#include "evidence/run_clock.h"
#include "model/agent_evidence.h"
#include "model/evidence.h"
#include "model/verdict.h"
#include "record/agent_box.h"

namespace holdfast {

// The frames behind the numbers that an agent's record has for them.
// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack);

// The whole record over time. Pure.
MemoryHistory memory_history(const AgentRecord& agent, const RunClock& clock);

// Memory as it was at the moment that explains an end. After a refusal or an uncaught exception a
// program frees most of its memory before it ends. Pure.
// The record as it is, or with its memory as at such a moment. A process that was killed freed
// nothing on the way.
AgentRecord at_its_snapshot(AgentRecord agent, const ProcessEvidence* process);

}  // namespace holdfast
