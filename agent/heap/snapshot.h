// The live memory by site, kept at a moment after which the program frees it: a refusal, an
// exception that nobody catches.
#pragma once

#include "record/agent_format.h"

namespace holdfast::agent {

// Only copies a table, because it is called inside malloc. Of several refusals in quick succession,
// the first counts.
void keep_snapshot(format::AgentSnapshotKind kind);
// The site makes room for another stack. Under the lock.
void leave_snapshots(format::AgentMemory& memory, std::uint16_t site);

}  // namespace holdfast::agent
