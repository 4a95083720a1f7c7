// Which line holds how much, and which one keeps more and more of it. Pure.
#pragma once

#include <optional>
#include <vector>

#include "evidence/run_clock.h"
#include "model/evidence.h"
#include "record/agent_box.h"

namespace holdfast {

struct MemoryContext {
    RunClock clock;
    std::optional<Bytes> limit;
    bool swapped = false;         // then what is resident says nothing about growth
    std::optional<Bytes> room{};  // the most the process can hold
};

std::optional<Bytes> most_it_can_hold(const ProcessEvidence* process, std::optional<Bytes> limit);

// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack);

// The largest first.
std::vector<SiteEvidence> sites_of(const AgentRecord& agent, const MemoryContext& context);

std::optional<LeakEvidence> leak_of(const AgentRecord& agent, const MemoryContext& context);

// By line of the user's own code, the largest first.
std::vector<MemorySite> top_sites_of(const AgentRecord& agent, const MemoryContext& context);

std::optional<GrowthSeen> gpu_growth_of(const AgentRecord& agent, const MemoryContext& context);

}  // namespace holdfast
