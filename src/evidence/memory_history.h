// An agent's record of memory as the evidence has it. Pure.
#pragma once

#include "evidence/run_clock.h"
#include "model/agent_evidence.h"
#include "record/agent_box.h"

namespace holdfast {

MemoryHistory memory_history(const AgentRecord& agent, const RunClock& clock);

}  // namespace holdfast
