#include "evidence/agent_memory.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include "evidence/run_clock.h"

namespace holdfast {

std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack) {
    std::vector<Frame> frames;
    for (auto number = stack.rbegin(); number != stack.rend(); ++number) {
        if (*number >= agent.frames.size()) continue;
        const AgentFrameText& frame = agent.frames[*number];
        frames.push_back({frame.file, frame.line, frame.function});
    }
    return frames;
}

namespace {

std::optional<Bytes> known_bytes(std::uint64_t value) {
    if (value == format::unknown) return std::nullopt;
    return Bytes{value};
}

// A table of the frames that sites use, each once.
class FrameTable {
public:
    FrameTable(const AgentRecord& agent, std::vector<Frame>& frames)
        : agent_(agent), frames_(frames) {}

    std::vector<std::uint32_t> numbers_of(const FrameNumbers& stack) {
        std::vector<std::uint32_t> numbers;
        for (auto number = stack.rbegin(); number != stack.rend(); ++number) {
            if (*number >= agent_.frames.size()) continue;
            const auto [known, added] =
                numbers_.try_emplace(*number, static_cast<std::uint32_t>(frames_.size()));
            const AgentFrameText& frame = agent_.frames[*number];
            if (added) frames_.push_back({frame.file, frame.line, frame.function});
            numbers.push_back(known->second);
        }
        return numbers;
    }

private:
    const AgentRecord& agent_;
    std::vector<Frame>& frames_;
    std::map<std::uint16_t, std::uint32_t> numbers_;
};

SiteHistory site_of(const AgentSiteRecord& from, FrameTable& frames) {
    const auto is = [&](std::uint32_t flags) { return (from.flags & flags) != 0; };
    SiteHistory site;
    site.stack = frames.numbers_of(from.stack);
    site.gpu = is(format::site_gpu);
    site.foreign = is(format::site_other | format::site_import);
    site.borrowed = is(format::site_borrowed_stack);
    site.small_objects = is(format::site_small_objects | format::site_arena);
    site.unseen = is(format::site_unseen);
    site.live = Bytes{from.live_bytes};
    site.peak = Bytes{from.peak_bytes};
    site.asked = Bytes{from.total_bytes};
    site.error = Bytes{from.error_bytes};
    site.blocks = from.live_blocks;
    for (const std::uint64_t bytes : from.live_at_window) site.at_windows.push_back(Bytes{bytes});
    return site;
}

}  // namespace

MemoryHistory memory_history(const AgentRecord& agent, const RunClock& clock) {
    MemoryHistory history;
    FrameTable frames(agent, history.frames);
    for (const format::AgentWindow& window : agent.memory.windows)
        history.windows.push_back({clock.at(window.end), window.step, known_bytes(window.rss),
                                   known_bytes(window.gpu_allocated)});
    const std::int64_t latest = std::max({agent.steps.last, agent.place_time, agent.ended});
    if (latest > 0) history.latest = clock.at(latest);
    for (const AgentSiteRecord& site : agent.memory.sites)
        history.sites.push_back(site_of(site, frames));
    const std::vector<AgentStepRecord>& steps = agent.steps.last_steps;
    if (std::any_of(steps.begin(), steps.end(),
                    [](const AgentStepRecord& step) { return step.gpu_allocated.has_value(); }))
        for (const AgentStepRecord& step : steps) {
            GpuStep& kept = history.gpu_steps.emplace_back();
            kept.time = clock.at(step.time);
            kept.number = step.number;
            if (step.gpu_allocated) kept.allocated = known_bytes(*step.gpu_allocated);
        }
    return history;
}

namespace {

// A refusal that the program survived for longer has nothing to do with its end.
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
        memory.sites[i].live_blocks = snapshot->blocks[i];
        memory.sites[i].live_at_window.resize(windows);
    }
    memory.live_bytes = snapshot->live_bytes;
    return agent;
}

}  // namespace holdfast
