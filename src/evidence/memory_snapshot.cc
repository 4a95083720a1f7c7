#include "evidence/memory_snapshot.h"

#include <algorithm>
#include <csignal>

#include "evidence/run_clock.h"

namespace holdfast {
namespace {

// A refusal that the program outlived by more has nothing to do with its end.
constexpr std::int64_t of_the_end = 30'000'000'000;

std::int64_t last_sign_of_life(const AgentRecord& agent) {
    std::int64_t last = std::max({agent.ended, agent.steps.last, agent.place_time});
    if (agent.exit) last = std::max(last, agent.exit->time);
    for (const AgentExceptionRecord& thrown : agent.exceptions) last = std::max(last, thrown.time);
    return last;
}

const AgentSnapshotRecord* snapshot_of(const AgentRecord& agent) {
    const AgentMemoryRecord& memory = agent.memory;
    const AgentSnapshotRecord* best = nullptr;
    for (const AgentSnapshotRecord& snapshot : memory.snapshots) {
        if (bounded_difference(last_sign_of_life(agent), snapshot.time) > of_the_end) continue;
        if (snapshot.live_bytes < memory.live_bytes + memory.live_bytes / 8) continue;
        if (best == nullptr || snapshot.live_bytes > best->live_bytes) best = &snapshot;
    }
    return best;
}

bool was_killed(const ProcessEvidence* process) {
    return process != nullptr && process->exit && process->exit->signal == SIGKILL;
}

}  // namespace

AgentRecord at_its_snapshot(AgentRecord agent, const ProcessEvidence* process) {
    const AgentSnapshotRecord* snapshot = was_killed(process) ? nullptr : snapshot_of(agent);
    if (snapshot == nullptr) return agent;
    AgentMemoryRecord& memory = agent.memory;
    std::size_t windows = 0;
    while (windows < memory.windows.size() && memory.windows[windows].end <= snapshot->time)
        ++windows;
    memory.windows.resize(windows);
    for (std::size_t i = 0; i < memory.sites.size(); ++i) {
        memory.sites[i].live_bytes = snapshot->live[i];
        memory.sites[i].live_at_window.resize(windows);
    }
    memory.live_bytes = snapshot->live_bytes;
    return agent;
}

}  // namespace holdfast
