// A notebook server's request that its kernel end, and how a kernel may then end.
#pragma once

#include "diagnose/autopsy.h"
#include "model/agent_evidence.h"

namespace holdfast {

// The request that came shortly before the end; null if there was none.
const NoteEvidence* shutdown_request(const Autopsy& death);

// At its end ipykernel closes pipes that threads may still be writing to, and libzmq aborts. This
// happens without Holdfast, too, where nobody sees it; nothing is lost.
bool gave_up_at_shutdown(const Autopsy& death);

}  // namespace holdfast
