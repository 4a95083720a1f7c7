// A notebook server's request that its kernel end, and the ways in which a kernel may then end.
#pragma once

#include "diagnose/autopsy.h"
#include "model/agent_evidence.h"

namespace holdfast {

// The request that came shortly before the end; null: none did.
const NoteEvidence* shutdown_request(const Autopsy& death);

// At its end ipykernel closes the pipes of threads that may still be writing, and libzmq gives up
// over that. It happens to plain kernels too, where nobody sees it; nothing was lost by it.
bool gave_up_at_shutdown(const Autopsy& death);

}  // namespace holdfast
