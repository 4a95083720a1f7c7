// What the agents inside the processes recorded, as evidence.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "evidence/agent_memory.h"
#include "evidence/clean_text.h"
#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr std::size_t longest_agent_text = 1024;
constexpr std::size_t most_causes = 8;

std::optional<NoteEvidence::Kind> kind_of(format::AgentNoteKind kind) {
    using From = format::AgentNoteKind;
    using To = NoteEvidence::Kind;
    switch (kind) {
    case From::none: return std::nullopt;
    case From::warning: return To::warning;
    case From::shutdown_request: return To::shutdown_request;
    case From::cell: return To::cell;
    case From::cuda_oom: return To::cuda_oom;
    case From::hook_failed: return To::hook_failed;
    case From::framework: return To::framework;
    case From::kept_tensors: return To::kept_tensors;
    case From::nonfinite: return To::nonfinite;
    case From::validation: return To::validation;
    case From::collector_off: return To::collector_off;
    }
    return std::nullopt;  // from a newer agent, or forged
}

std::optional<ExitCallEvidence> exit_call(const AgentRecord& agent, const RunClock& clock) {
    if (!agent.exit) return std::nullopt;
    ExitCallEvidence call;
    call.time = clock.at(agent.exit->time);
    call.status = agent.exit->status;
    call.frames = frames_of(agent, agent.exit->stack);
    using Kind = format::AgentExitKind;
    switch (agent.exit->kind) {
    case Kind::sys_exit: call.how = ExitCallEvidence::How::sys_exit; return call;
    case Kind::os_exit: call.how = ExitCallEvidence::How::os_exit; return call;
    case Kind::c_exit: call.how = ExitCallEvidence::How::c_exit; return call;
    case Kind::none: break;
    }
    return std::nullopt;
}

ExceptionEvidence exception_of(const AgentRecord& agent, const AgentExceptionRecord& from,
                               const RunClock& clock) {
    ExceptionEvidence thrown;
    thrown.time = clock.at(from.time);
    thrown.in_main_thread = from.in_main_thread;
    thrown.thread = clean(from.thread, 64);
    thrown.type = clean(from.type, 200);
    thrown.message = clean(from.message, longest_agent_text);
    for (std::string_view rest = from.causes; const auto line = next_line(rest);)
        if (!line->empty() && thrown.causes.size() < most_causes)
            thrown.causes.push_back(clean(*line, longest_agent_text));
    thrown.frames = frames_of(agent, from.frames);
    return thrown;
}

// How even the last steps were: the middle one, and the slowest but for one in ten.
void add_recent_lengths(const std::vector<AgentStepRecord>& last_steps, StepsEvidence& steps) {
    constexpr std::size_t enough = 20;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 1; i < last_steps.size(); ++i)
        if (last_steps[i].number == last_steps[i - 1].number + 1)
            lengths.push_back(std::max<std::int64_t>(
                0, bounded_difference(last_steps[i].time, last_steps[i - 1].time)));
    if (lengths.size() < enough) return;
    std::sort(lengths.begin(), lengths.end());
    steps.recent_median = Nanos(lengths[lengths.size() / 2]);
    steps.recent_slowest = Nanos(lengths[lengths.size() * 9 / 10]);
}

StepsEvidence steps_of(const AgentRecord& agent, const RunClock& clock) {
    const AgentStepsRecord& from = agent.steps;
    StepsEvidence steps;
    steps.count = from.count;
    steps.epoch = from.epoch;
    steps.source = clean(from.source, 64);
    if (from.first > 0) steps.first = clock.at(from.first);
    if (from.last > 0) steps.last = clock.at(from.last);
    if (from.usual_ns > 0) steps.usual = bounded_nanos(from.usual_ns);
    if (from.longest_ns > 0) steps.longest = bounded_nanos(from.longest_ns);
    add_recent_lengths(from.last_steps, steps);
    if (from.first_nonfinite_step > 0) steps.first_nonfinite = from.first_nonfinite_step;
    for (const AgentStepRecord& step : from.last_steps) {
        if (step.loss && std::isfinite(*step.loss)) steps.last_finite_loss = step.loss;
        if (step.gpu_allocated) steps.gpu_allocated_last = Bytes{*step.gpu_allocated};
    }
    return steps;
}

std::optional<GuardEvidence> guard_of(const AgentRecord& agent, const RunClock& clock) {
    const AgentGuardRecord& from = agent.guard;
    if (!from.last) return std::nullopt;
    RefusalEvidence last;
    using From = format::GuardEventKind;
    using To = RefusalEvidence::Kind;
    switch (from.last->kind) {
    case From::none: return std::nullopt;
    case From::refused: last.kind = To::refused; break;
    case From::too_large: last.kind = To::too_large; break;
    case From::nothing_left: last.kind = To::nothing_left; break;
    case From::brink: last.kind = To::brink; break;
    }
    last.time = clock.at(from.last->time);
    last.asked = Bytes{from.last->asked};
    last.room = Bytes{from.last->room};
    last.limit = Bytes{from.last->limit};
    last.frames = frames_of(agent, from.last->stack);
    return GuardEvidence{from.refused, from.warned, std::move(last)};
}

std::optional<LaunchesEvidence> launches_of(const AgentRecord& agent, const RunClock& clock) {
    if (!agent.launches) return std::nullopt;
    const AgentLaunchesRecord& from = *agent.launches;
    LaunchesEvidence launches;
    launches.time = clock.at(from.time);
    launches.all_seen = from.all_seen;
    launches.elsewhere = from.elsewhere;
    launches.graphs = from.graphs;
    for (const AgentLaunchRecord& row : from.rows) {
        LaunchEvidence& launch = launches.rows.emplace_back();
        launch.kernel = clean(row.kernel, 120);
        launch.borrowed = row.borrowed;
        launch.count = row.count;
        if (!row.line) continue;
        if (std::vector<Frame> line = frames_of(agent, {*row.line}); !line.empty())
            launch.line = std::move(line.front());
    }
    return launches;
}

constexpr int sent_by_kernel = 0x80;  // SI_KERNEL: a key, a hang-up

}  // namespace

std::vector<SignalSeen> signals_of(const AgentRecord& agent, const RunClock& clock) {
    std::vector<SignalSeen> all;
    for (const AgentSignalRecord& signal : agent.signals) {
        SignalSeen seen;
        seen.time = clock.at(signal.time);
        seen.number = signal.number;
        seen.from_kernel = signal.code == sent_by_kernel;
        if (signal.sender_pid >= 0) seen.sender_pid = signal.sender_pid;
        if (signal.sender_uid >= 0) seen.sender_uid = signal.sender_uid;
        seen.sender = signal.sender_pid == agent.pid ? "itself" : clean(signal.sender, 200);
        all.push_back(std::move(seen));
    }
    return all;
}

namespace {

AgentEvidence agent_of(const AgentRecord& from, const RunClock& clock) {
    AgentEvidence agent;
    agent.pid = from.pid;
    agent.taken = clock.at(from.taken);
    if (from.ended > 0) agent.ended = clock.at(from.ended);
    if (from.python_major > 0)
        agent.python = formatted("{}.{}.{}{}", from.python_major, from.python_minor,
                                 from.python_micro, from.free_threaded ? "t" : "");
    agent.lines_readable = from.lines_readable;
    if (from.place_time > 0) agent.place_time = clock.at(from.place_time);
    agent.place = frames_of(from, from.place);
    if (from.visit_asked != 0) agent.no_line_since = clock.at(from.visit_asked);
    agent.exit = exit_call(from, clock);
    for (const AgentExceptionRecord& thrown : from.exceptions)
        agent.exceptions.push_back(exception_of(from, thrown, clock));
    for (const AgentNoteRecord& note : from.notes)
        if (const auto kind = kind_of(note.kind))
            agent.notes.push_back(
                {*kind, clock.at(note.time), note.a, note.b, clean(note.text, longest_agent_text)});
    agent.signals = signals_of(from, clock);
    agent.steps = steps_of(from, clock);
    agent.live = Bytes{from.memory.live_bytes};
    agent.peak = Bytes{from.memory.peak_bytes};
    agent.memory = memory_history(from, clock);
    agent.guard = guard_of(from, clock);
    for (const AgentKeeperRecord& keeper : from.keepers)
        agent.keepers.push_back({clock.at(keeper.time), clean(keeper.name, longest_agent_text),
                                 clean(keeper.kind, longest_agent_text),
                                 clean(keeper.file, longest_agent_text), keeper.items,
                                 Bytes{keeper.bytes}, Bytes{keeper.grown}, keeper.graphs,
                                 keeper.unweighed, std::nullopt, keeper.views});
    agent.launches = launches_of(from, clock);
    return agent;
}

}  // namespace

std::vector<AgentEvidence> agents(const RunRecord& record, const RunClock& clock,
                                  const Evidence& so_far) {
    std::vector<AgentEvidence> all;
    for (const AgentRecord& agent : record.agents)
        all.push_back(agent_of(at_its_snapshot(agent, so_far.process(agent.pid)), clock));
    return all;
}

}  // namespace holdfast::gatherers
