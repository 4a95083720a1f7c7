// Which line holds how much, and which one keeps more and more of it. Pure.
//
// All of it is judged from the windows that the agent measured (AgentEvidence::memory), so that a
// recording can be judged again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

struct MemoryContext {
    std::optional<Bytes> limit;
    bool swapped = false;         // then what is resident says nothing about growth
    std::optional<Bytes> room{};  // the most the process can hold
};

// In all of these the agent has its history.

// The largest first.
std::vector<SiteEvidence> sites_of(const AgentEvidence& agent, const MemoryContext& context);

std::optional<LeakEvidence> leak_of(const AgentEvidence& agent, const MemoryContext& context);

// By line of the user's own code, the largest first.
std::vector<MemorySite> top_sites_of(const AgentEvidence& agent, const MemoryContext& context);

std::optional<GrowthSeen> gpu_growth_of(const AgentEvidence& agent);

// Whether the main thread was at this line of the program's own when it was last heard of.
bool was_at(const AgentEvidence& agent, const std::string& file, std::optional<int> line);

// Whether the main thread ran no line of Python while memory grew.
bool was_one_call(const AgentEvidence& agent, const GrowthSeen& growth);

// Fills in what is judged of memory: sites, leak, GPU growth, the lines that hold most. An agent
// without a history, of an older recording, keeps what was judged then.
void judge_memory(Evidence& evidence);
bool has_memory_to_judge(const Evidence& evidence);

}  // namespace holdfast
