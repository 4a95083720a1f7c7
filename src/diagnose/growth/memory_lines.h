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
    bool swapped = false;         // then resident memory says nothing about growth
    std::optional<Bytes> room{};  // the most the process can hold
};

// Each `agent` below must have its history.

// The largest first.
std::vector<SiteEvidence> sites_of(const AgentEvidence& agent, const MemoryContext& context);

std::optional<LeakEvidence> leak_of(const AgentEvidence& agent, const MemoryContext& context);

// Of a helper process in which no line of the user's own asks for memory, such as the server of a
// multiprocessing.Manager; the frames are a library's.
std::optional<LeakEvidence> leak_of_helper(const AgentEvidence& agent,
                                           const MemoryContext& context);

// By line of the user's own code, the largest first.
std::vector<MemorySite> top_sites_of(const AgentEvidence& agent, const MemoryContext& context);

std::optional<GrowthSeen> gpu_growth_of(const AgentEvidence& agent);

// Whether the agent last saw the main thread at this line of the user's own code.
bool was_at(const AgentEvidence& agent, const std::string& file, std::optional<int> line);

// Whether the main thread ran no line of Python (was in one call) while memory grew.
bool was_one_call(const AgentEvidence& agent, const GrowthSeen& growth);

// The last look at Python's collector of cycles, if it was switched off.
const NoteEvidence* collector_off(const AgentEvidence& agent);

// Fills in what is judged about memory: sites, leak, GPU growth, the lines that hold most. An agent
// from an older recording has no history, and keeps its older judgement.
void judge_memory(Evidence& evidence);
bool has_memory_to_judge(const Evidence& evidence);

}  // namespace holdfast
