// Which line holds how much, and which one keeps more and more of it. Pure.
#pragma once

#include <optional>
#include <vector>

#include "evidence/run_clock.h"
#include "model/agent_evidence.h"
#include "record/agent_box.h"

namespace holdfast {

struct MemoryContext {
    RunClock clock;
    std::optional<Bytes> limit;
    bool swapped = false;  // then what is resident says nothing about growth
};

// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack);

// The largest first. Arenas and what found no room of its own are not among them: they mark the
// line that happened to ask, not the one that keeps.
std::vector<SiteEvidence> sites_of(const AgentRecord& agent, const MemoryContext& context);

std::optional<LeakEvidence> leak_of(const AgentRecord& agent, const MemoryContext& context);

// By line of the user's own code, the largest first.
std::vector<MemorySite> top_sites_of(const AgentRecord& agent, const MemoryContext& context);

std::optional<GrowthSeen> gpu_growth_of(const AgentRecord& agent, const MemoryContext& context);

}  // namespace holdfast
