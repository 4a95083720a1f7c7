#include "diagnose/growth/filling.h"

#include "diagnose/growth/growth.h"
#include "diagnose/oom/keeper.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

constexpr double standard_errors = 3;
constexpr double much_of_the_limit = 0.5;
constexpr double much_of_the_rest = 0.1;  // of the limit

// As sure as a `certain` verdict, and far beyond the error of measurement.
bool is_certain(const LeakEvidence& leak) {
    const GrowthSeen& growth = leak.growth;
    return surely_leaks(leak) &&
           *growth.per_step > standard_errors * growth.per_step_error.value_or(0);
}

const AgentEvidence* certain_leak(const Evidence& evidence) {
    const AgentEvidence* largest = nullptr;
    for (const AgentEvidence& agent : evidence.agents) {
        if (!agent.leak || agent.ended || !is_certain(*agent.leak)) continue;
        if (largest == nullptr || agent.leak->growth.in_all > largest->leak->growth.in_all)
            largest = &agent;
    }
    return largest;
}

// A buffer that fills looks like a leak until it is full, and most buffers fit well into memory.
bool is_half_full(const MemorySummary& memory) {
    return memory.limit && !memory.curve.empty() &&
           memory.curve.back().taken().share_of(*memory.limit) >= much_of_the_limit;
}

// The program may be loading something else next to a small leak.
bool explains_the_growth(const GrowthSeen& growth, Bytes limit, Nanos fills_in) {
    const double minutes = static_cast<double>(fills_in.count()) / 6e10;
    return growth.per_minute * minutes >= much_of_the_rest * static_cast<double>(limit.count);
}

}  // namespace

std::optional<FillingLeak> leak_that_fills(const Evidence& evidence, Nanos fills_in) {
    const AgentEvidence* agent = certain_leak(evidence);
    if (agent == nullptr || !is_half_full(evidence.memory)) return std::nullopt;
    const LeakEvidence& leak = *agent->leak;
    if (!explains_the_growth(leak.growth, *evidence.memory.limit, fills_in)) return std::nullopt;
    const Frame* frame = innermost_own_frame(leak.frames);
    if (frame == nullptr || !frame->line) return std::nullopt;
    FillingLeak filling;
    filling.line.file = frame->file;
    filling.line.line = *frame->line;
    filling.each_step = bytes_of(std::round(*leak.growth.per_step));
    filling.fills_in = fills_in;
    if (const KeeperEvidence* keeper = keeper_seen(*agent, leak.growth.in_all))
        filling.keeper = keeper->name;
    return filling;
}

}  // namespace holdfast
