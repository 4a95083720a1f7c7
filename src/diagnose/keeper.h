// Who keeps memory that grows, and what to do about it.
#pragma once

#include <optional>
#include <string>

#include "model/agent_evidence.h"

namespace holdfast {

// The container that grew most, where it holds enough of the `leaked` bytes to be their keeper.
std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked);

// Names the keeper in the finding: its sentence and its evidence. Nothing without one.
void name_keeper(Finding& finding, const AgentEvidence& agent, Bytes leaked);
// The same with what to do about it.
void add_keeper(Finding& finding, const AgentEvidence& agent, Bytes leaked);

}  // namespace holdfast
