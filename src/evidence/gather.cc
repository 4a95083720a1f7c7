#include "evidence/gather.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "evidence/clean_text.h"
#include "evidence/gatherers.h"
#include "evidence/traceback_text.h"

namespace holdfast {
namespace {

constexpr std::size_t most_missing = 64;
constexpr std::size_t longest_missing = 300;

RunClock clock_of(const RunRecord& record) {
    if (record.facts) return {record.facts->started.count()};
    if (record.machine_header) return {record.machine_header->created};
    return {};
}

RunSummary summary_of(const RunRecord& record) {
    RunSummary run;
    run.id = record.id;
    if (record.facts) {
        const RunFacts& facts = *record.facts;
        if (run.id.empty()) run.id = facts.id;
        run.name = facts.name;
        run.command = facts.command;
        run.started_wall = facts.started_wall;
        run.host = facts.host;
    } else if (record.machine_header) {
        run.started_wall = Nanos(record.machine_header->created_wall);
    }
    return run;
}

SchedulerEvidence scheduler_of(const RunRecord& record) {
    SchedulerEvidence scheduler;
    if (!record.facts) return scheduler;
    const SchedulerFacts& facts = record.facts->scheduler;
    scheduler.kind = facts.kind;
    scheduler.job_id = facts.job_id;
    constexpr std::int64_t second = 1'000'000'000;
    if (facts.ends_at_wall_seconds && *facts.ends_at_wall_seconds > 0 &&
        *facts.ends_at_wall_seconds < INT64_MAX / second)
        scheduler.ends_at = RunTime(bounded_difference(*facts.ends_at_wall_seconds * second,
                                                       record.facts->started_wall.count()));
    return scheduler;
}

// How the command ended, from the record of the end, or else from its row in the process table.
void add_end(const RunRecord& record, const RunClock& clock, Evidence& evidence) {
    const auto seen = [&](std::int64_t status, std::int64_t time) {
        evidence.ended = true;
        evidence.end_time = clock.known(time);
        if (const auto exit = gatherers::exit_of(status)) {
            evidence.exit = *exit;
            evidence.core_dumped = exit->signal && WCOREDUMP(static_cast<int>(status));
        }
    };
    if (record.end) {
        seen(record.end->wait_status, record.end->time);
        evidence.run.ended_wall = Nanos(record.end->time_wall);
        return;
    }
    for (const format::Process& p : record.processes) {
        if (p.is_command == 0 || p.pid <= 0 || p.ended == format::never) continue;
        seen(p.wait_status, p.ended);
        return;
    }
}

Missing missing_of(const format::Event& event) {
    const MissingKind what = missing_kind_of(event.a);
    std::string text(event_text(event));
    if (what == MissingKind::unsaid) return Missing::from_text(std::move(text));
    return {what, std::move(text)};
}

void add_missing(const RunRecord& record, Evidence& evidence) {
    for (const format::Event& event : record.events)
        if (event.kind == format::EventKind::missing) evidence.missing.push_back(missing_of(event));
    for (const std::string& line : record.damage)
        evidence.missing.push_back({MissingKind::record_damaged, line});
}

// True if the supervisor lived to the end, read the log from the start, and had room for all
// events: the ring keeps about a thousand.
bool log_complete(const RunRecord& record) {
    if (!record.end || record.end->complete != 1 || record.events.size() >= 1000) return false;
    return std::none_of(record.events.begin(), record.events.end(), [](const format::Event& event) {
        return event.kind == format::EventKind::missing &&
               subject_of(missing_of(event).what) == MissingKind::kernel_log;
    });
}

// If a parent reaped its child before we could ask for the status, use the kernel's log line about
// the kill.
void take_ends_from_log(Evidence& evidence) {
    if (!evidence.host.in_first_pid_namespace) return;
    constexpr Nanos slack = std::chrono::seconds(2);
    for (ProcessEvidence& process : evidence.processes) {
        if (process.exit || !process.ended) continue;
        for (const KernelLogEntry& entry : evidence.kernel_log)
            if (entry.kind == KernelLogEntry::Kind::oom_kill && entry.pid == process.pid &&
                entry.time + slack >= process.first_seen && entry.time <= *process.ended + slack)
                process.exit = ExitStatus{std::nullopt, SIGKILL};
    }
}

// A worker that crashed within milliseconds of its start was never sampled. Its crash record shows
// that it existed and how it ended; its parent is inferred from its command.
void add_unseen_crashed(Evidence& evidence) {
    const ProcessEvidence* main = evidence.main();
    if (main == nullptr) return;
    const Role role = main->wrapper ? Role::main : main->python ? Role::worker : Role::helper;
    std::vector<ProcessEvidence> unseen;
    for (const CrashEvidence& crash : evidence.crashes) {
        if (!crash.finished || crash.survived || evidence.process(crash.pid) != nullptr) continue;
        ProcessEvidence& process = unseen.emplace_back();
        process.pid = crash.pid;
        process.parent = main->pid;
        process.role = role;
        process.name = crash.thread;
        process.python = !crash.python.empty();
        process.first_seen = process.last_seen = crash.time;
        process.ended = crash.time;
        process.exit = ExitStatus{std::nullopt, crash.signal};
    }
    for (ProcessEvidence& process : unseen) evidence.processes.push_back(std::move(process));
}

// How a process ended, from its own record: a complete crash record, or its exit status. The status
// counts only if the process came to its end: it may have died between exit() and its end.
std::optional<std::pair<ExitStatus, RunTime>> end_told_inside(const Evidence& evidence, int pid) {
    for (const CrashEvidence& crash : evidence.crashes)
        if (crash.pid == pid && crash.finished && !crash.survived)
            return std::pair(ExitStatus{std::nullopt, crash.signal}, crash.time);
    for (const AgentEvidence& agent : evidence.agents)
        if (agent.pid == pid && agent.exit && agent.ended)
            return std::pair(ExitStatus{agent.exit->status & 0xff, std::nullopt}, *agent.ended);
    return std::nullopt;
}

// With the supervisor lost, nobody waited for these processes.
void take_ends_from_inside(Evidence& evidence) {
    if (!evidence.supervisor_lost || evidence.command_alive) return;
    for (ProcessEvidence& process : evidence.processes) {
        if (process.exit) continue;
        const auto told = end_told_inside(evidence, process.pid);
        if (!told) continue;
        process.exit = told->first;
        if (!process.ended) process.ended = told->second;
    }
    if (evidence.processes.empty() || evidence.exit.code || evidence.exit.signal) return;
    const ProcessEvidence& command = evidence.processes.front();
    if (!command.exit) return;
    evidence.exit = *command.exit;
    evidence.ended = true;
    if (!evidence.end_time) evidence.end_time = command.ended;
    evidence.missing.push_back({MissingKind::end_not_awaited, {}});
}

void tidy(std::vector<Missing>& missing) {
    std::vector<Missing> kept;
    for (const Missing& entry : missing) {
        Missing told{entry.what, clean(entry.detail, longest_missing)};
        const bool again = std::find(kept.begin(), kept.end(), told) != kept.end();
        const bool says_nothing = is_told_by_text(told.what) && told.detail.empty();
        if (!says_nothing && !again && kept.size() < most_missing) kept.push_back(std::move(told));
    }
    missing = std::move(kept);
}

}  // namespace

Evidence gather(const RunRecord& record, const MachineView& machine) {
    const RunClock clock = clock_of(record);
    Evidence evidence;
    evidence.run = summary_of(record);
    if (record.facts) evidence.holdfast_version = record.facts->holdfast_version;
    evidence.main_pid = gatherers::main_pid(record);
    evidence.processes = gatherers::processes(record, clock);
    for (ProcessEvidence& process : evidence.processes)
        if (process.pid == evidence.main_pid && process.role == Role::helper)
            process.role = Role::main;
    evidence.cgroups = gatherers::cgroups(record, clock);
    evidence.host = gatherers::host(record);
    evidence.pressure = gatherers::pressure(record.samples);
    evidence.disks = gatherers::disks(record);
    evidence.neighbours = gatherers::neighbours(record);
    evidence.kernel_log = gatherers::kernel_log(record, clock);
    evidence.kernel_log_complete = log_complete(record);
    take_ends_from_log(evidence);
    evidence.signals = gatherers::signals(record, clock);
    evidence.gpus = gatherers::gpus(record, evidence);
    evidence.scheduler = scheduler_of(record);
    add_missing(record, evidence);
    add_end(record, clock, evidence);
    gatherers::aftermath(record, machine, clock, evidence);

    gatherers::StderrText words = gatherers::stderr_text(record, machine);
    evidence.stderr_seen = words.seen;
    evidence.stderr_tail = std::move(words.tail);
    if (words.missing) evidence.missing.push_back(std::move(*words.missing));
    evidence.traceback = last_traceback(evidence.stderr_tail);

    const ProcessEvidence* main = evidence.main();
    evidence.memory = gatherers::memory(record, clock, main ? evidence.cgroup_of(*main) : nullptr);
    evidence.agents = gatherers::agents(record, clock, evidence);
    evidence.crashes = gatherers::crashes(record, clock);
    take_ends_from_inside(evidence);
    add_unseen_crashed(evidence);
    evidence.stacks = gatherers::stacks(record, clock);
    evidence.stalls = gatherers::stalls(record, clock);
    gatherers::agent_report(record, clock, evidence);
    tidy(evidence.missing);
    return evidence;
}

}  // namespace holdfast
