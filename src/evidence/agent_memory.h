// Turns an agent's record of memory into evidence.
#pragma once

#include <vector>

#include "evidence/run_clock.h"
#include "model/agent_evidence.h"
#include "model/evidence.h"
#include "model/verdict.h"
#include "record/agent_box.h"

namespace holdfast {

// Turns the numbers that the record uses for frames into frames, outermost first, as Python prints
// them.
std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack);

// The memory of the whole record over time. Pure.
MemoryHistory memory_history(const AgentRecord& agent, const RunClock& clock);

// The record with memory as it was at a refusal or an uncaught exception, if one explains the end:
// after it a program frees most of its memory before it ends. A process that was killed freed
// nothing, so its record stays as it is. Pure.
AgentRecord at_its_snapshot(AgentRecord agent, const ProcessEvidence* process);

}  // namespace holdfast
