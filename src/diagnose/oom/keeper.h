// Who keeps memory that grows.
#pragma once

#include <optional>

#include "diagnose/finding.h"
#include "model/agent_evidence.h"

namespace holdfast {

// The container that grew most, where it holds enough of the `leaked` bytes to be their keeper.
const KeeperEvidence* keeper_seen(const AgentEvidence& agent, Bytes leaked);
std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked);

}  // namespace holdfast
