// Adds what agents recorded to the rest of the evidence: the uncaught exception, even if stderr was
// a terminal, and the senders of signals that did not pass through the supervisor.
#include <algorithm>

#include "evidence/agent_memory.h"
#include "evidence/clean_text.h"
#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr Nanos same_signal = std::chrono::seconds(1);  // the supervisor passed it on

// A program that replaced itself by exec has taken a slot twice: the latest record counts.
const AgentRecord* main_agent(const RunRecord& record, const Evidence& evidence) {
    const AgentRecord* last = nullptr;
    for (const AgentRecord& agent : record.agents)
        if (agent.pid == evidence.main_pid) last = &agent;
    return last;
}

// Uses the exception that the agent recorded, unless stderr ends with one of another type: then
// something else printed last, such as a thread's hook or the program itself.
void add_traceback(const AgentRecord& agent, const RunClock& clock, Evidence& evidence) {
    const AgentExceptionRecord* last = nullptr;
    for (const AgentExceptionRecord& thrown : agent.exceptions)
        if (thrown.in_main_thread && !thrown.type.empty()) last = &thrown;
    if (last == nullptr) return;
    if (evidence.end_time && clock.at(last->time) > *evidence.end_time) return;
    const std::string type = clean(last->type, 200);
    if (evidence.traceback && evidence.traceback->ends_the_output &&
        evidence.traceback->type != type)
        return;
    const std::string message = clean(last->message, 1024);
    evidence.traceback =
        TracebackText{frames_of(agent, last->frames), type,
                      evidence.traceback && evidence.traceback->message.size() > message.size()
                          ? evidence.traceback->message
                          : message,
                      true, true};
}

void add_signals(const AgentRecord& agent, const RunRecord& record, const RunClock& clock,
                 Evidence& evidence) {
    const int supervisor = record.facts ? record.facts->supervisor_pid : 0;
    for (SignalSeen& signal : signals_of(agent, clock)) {
        const bool known =
            std::any_of(evidence.signals.begin(), evidence.signals.end(), [&](const auto& seen) {
                return seen.number == signal.number && seen.time - signal.time <= same_signal &&
                       signal.time - seen.time <= same_signal;
            });
        if (known || (supervisor > 0 && signal.sender_pid == supervisor)) continue;
        evidence.signals.push_back(std::move(signal));
    }
    std::stable_sort(evidence.signals.begin(), evidence.signals.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
}

void add_missing(const RunRecord& record, Evidence& evidence) {
    const auto say_once = [&](MissingKind what, const std::string& detail) {
        Missing entry{what, detail};
        if (std::find(evidence.missing.begin(), evidence.missing.end(), entry) ==
            evidence.missing.end())
            evidence.missing.push_back(std::move(entry));
    };
    for (const AgentEvidence& agent : evidence.agents) {
        if (!agent.python.empty() && !agent.lines_readable)
            say_once(MissingKind::lines_of_python, agent.python);
        for (const NoteEvidence& note : agent.notes)
            if (note.kind == NoteEvidence::Kind::hook_failed)
                say_once(MissingKind::hook_failed, note.text);
    }
    if (record.agents_refused > 0)
        evidence.missing.push_back(
            {MissingKind::processes_refused, std::to_string(record.agents_refused)});
}

}  // namespace

void agent_report(const RunRecord& record, const RunClock& clock, Evidence& evidence) {
    add_missing(record, evidence);
    const AgentRecord* main = main_agent(record, evidence);
    if (main != nullptr) {
        add_traceback(*main, clock, evidence);
        add_signals(*main, record, clock, evidence);
    }
}

}  // namespace holdfast::gatherers
