// Memory as it was at the moment that explains an end. After a refusal or an uncaught exception a
// program frees most of its memory before it ends. Pure.
#pragma once

#include "model/evidence.h"
#include "record/agent_box.h"

namespace holdfast {

// The record as it is, or with its memory as at such a moment. A process that was killed freed
// nothing on the way.
AgentRecord at_its_snapshot(AgentRecord agent, const ProcessEvidence* process);

}  // namespace holdfast
