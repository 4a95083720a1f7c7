// What keeps memory that grows.
#pragma once

#include <optional>

#include "diagnose/finding.h"
#include "model/agent_evidence.h"

namespace holdfast {

// The container that grew most, where it holds enough of the `leaked` bytes to be their keeper.
const KeeperEvidence* keeper_seen(const AgentEvidence& agent, Bytes leaked);
std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked);

// Leaks for certain: with every step, often enough to know, and by one line of the program's own.
// Over time alone, a long load looks the same; and a thread's line is only borrowed.
bool surely_leaks(const LeakEvidence& leak);

}  // namespace holdfast
