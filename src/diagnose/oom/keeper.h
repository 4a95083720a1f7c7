// What keeps memory that grows.
#pragma once

#include <optional>

#include "diagnose/finding.h"
#include "model/agent_evidence.h"

namespace holdfast {

// The container that grew most, if it holds enough of the `leaked` bytes to be what keeps them.
const KeeperEvidence* keeper_seen(const AgentEvidence& agent, Bytes leaked);
std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked);

// Whether it leaks for certain: with every step, in enough windows, and at one line of the
// program's own. Growth over time alone may be a long load, and a thread's line is only borrowed.
bool surely_leaks(const LeakEvidence& leak);

}  // namespace holdfast
