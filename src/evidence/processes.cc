// The processes of the tree, as the supervisor last saw them, and the signals that reached them.
#include <sys/wait.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "evidence/clean_text.h"
#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

Role role_of(format::ProcessRole role) {
    switch (role) {
    case format::ProcessRole::main: return Role::main;
    case format::ProcessRole::worker: return Role::worker;
    case format::ProcessRole::rank: return Role::rank;
    case format::ProcessRole::helper: return Role::helper;
    }
    return Role::helper;
}

ProcessLimits limits_of(const format::Process& p) {
    ProcessLimits limits;
    limits.address_space = bytes(p.limit_as);
    limits.data = bytes(p.limit_data);
    limits.file_size = bytes(p.limit_fsize);
    limits.open_files = known(p.limit_nofile);
    limits.processes = known(p.limit_nproc);
    limits.cpu_seconds_soft = known(p.limit_cpu_soft);
    limits.cpu_seconds_hard = known(p.limit_cpu_hard);
    return limits;
}

ProcessEvidence process_of(const RunRecord& record, const format::Process& p,
                           const RunClock& clock) {
    ProcessEvidence process;
    process.pid = p.pid;
    process.parent = std::max(p.parent, 0);
    process.role = role_of(p.role);
    if (p.rank >= 0) process.rank = p.rank;
    process.name = fixed_text(p.name);
    process.command = fixed_text(p.command);
    process.python = p.program == format::ProgramKind::python;
    process.wrapper = p.program == format::ProgramKind::wrapper;
    process.first_seen = clock.at(p.first_seen);
    process.last_seen = clock.at(p.last_seen);
    process.ended = clock.known(p.ended);
    if (process.ended) process.exit = exit_of(p.wait_status);
    process.cgroup = cgroup_index(record, p.cgroup);
    const bool letter = (p.state >= 'A' && p.state <= 'Z') || (p.state >= 'a' && p.state <= 'z');
    if (letter) process.state = p.state;
    process.rss = bytes(p.rss);
    process.rss_peak = bytes(p.rss_peak);
    process.anon = bytes(p.anon);
    process.shmem = bytes(p.shmem);
    process.swap = bytes(p.swap);
    process.virtual_size = bytes(p.virtual_size);
    process.threads = known(p.threads);
    process.threads_peak = known(p.threads_peak);
    process.open_files = known(p.open_files);
    process.open_files_peak = known(p.open_files_peak);
    process.mappings = known(p.mappings);
    if (p.cpu_ns != format::unknown) process.cpu_time = bounded_nanos(p.cpu_ns);
    process.major_faults = known(p.major_faults);
    process.wait_channel = fixed_text(p.wait_channel);
    process.limits = limits_of(p);
    return process;
}

// Assigns an end that was written as an event to the process of that pid that still lived then:
// table slots are reused, and so are pids.
void add_end(const format::Event& event, const RunClock& clock,
             std::vector<ProcessEvidence>& processes) {
    const auto exit = exit_of(event.b);
    if (!exit || event.a <= 0 || event.a > INT32_MAX) return;
    const int pid = static_cast<int>(event.a);
    const RunTime time = clock.at(event.time);
    for (ProcessEvidence& process : processes) {
        if (process.pid != pid || process.first_seen > time) continue;
        if (process.ended && process.exit) return;
        if (process.last_seen > time + std::chrono::seconds(1)) continue;
        process.exit = exit;
        if (!process.ended) process.ended = time;
        return;
    }
    ProcessEvidence gone;  // its slot was reused
    gone.pid = pid;
    gone.first_seen = gone.last_seen = time;
    gone.ended = time;
    gone.exit = exit;
    processes.push_back(std::move(gone));
}

// Which of several "main" processes is the program: the larger weight wins.
auto weight(const format::Process& p) {
    const auto exit = p.ended == format::never ? std::nullopt : exit_of(p.wait_status);
    const bool failed = exit && exit->code != 0;
    return std::make_tuple(p.program == format::ProgramKind::python, failed, p.first_seen);
}

}  // namespace

std::optional<ExitStatus> exit_of(std::int64_t wait_status) {
    if (wait_status < 0 || wait_status > 0xffff) return std::nullopt;
    const int status = static_cast<int>(wait_status);
    if (WIFEXITED(status)) return ExitStatus{WEXITSTATUS(status), std::nullopt};
    if (WIFSIGNALED(status) && WTERMSIG(status) <= 64)
        return ExitStatus{std::nullopt, WTERMSIG(status)};
    return std::nullopt;
}

std::vector<ProcessEvidence> processes(const RunRecord& record, const RunClock& clock) {
    int command = record.facts ? record.facts->command_pid : 0;
    std::vector<ProcessEvidence> all;
    for (const format::Process& p : record.processes) {
        if (p.pid <= 0) continue;
        if (p.is_command != 0 && command <= 0) command = p.pid;
        all.push_back(process_of(record, p, clock));
    }
    for (const format::Event& event : record.events)
        if (event.kind == format::EventKind::process_ended) add_end(event, clock, all);
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        const bool a_first = a.pid == command;
        const bool b_first = b.pid == command;
        if (a_first != b_first) return a_first;
        return a.first_seen < b.first_seen;
    });
    return all;
}

namespace {

// `python train.py | tee log`: a shell starts both at once, so neither has the role of the program.
bool is_python_of_a_script(const RunRecord& record, const format::Process& process) {
    if (process.role != format::ProcessRole::helper ||
        process.program != format::ProgramKind::python)
        return false;
    return std::any_of(record.processes.begin(), record.processes.end(), [&](const auto& parent) {
        return parent.pid == process.parent && parent.role == format::ProcessRole::main &&
               parent.program == format::ProgramKind::wrapper;
    });
}

}  // namespace

// A script around the program makes several processes "main": itself, and everything that it runs.
// The program is then the Python process, else one that failed, else the latest. But a command that
// is no wrapper stays the main process, whatever it starts.
std::optional<int> main_pid(const RunRecord& record) {
    const format::Process* command = nullptr;
    const format::Process* best = nullptr;
    for (const format::Process& p : record.processes) {
        if (p.pid <= 0) continue;
        if (p.is_command != 0) command = &p;
        const bool may_be = p.role == format::ProcessRole::main
                                ? p.program != format::ProgramKind::wrapper
                                : is_python_of_a_script(record, p);
        if (may_be && (best == nullptr || weight(*best) < weight(p))) best = &p;
    }
    if (command != nullptr && (best == nullptr || command->program != format::ProgramKind::wrapper))
        return command->pid;
    if (best != nullptr) return best->pid;
    if (record.facts && record.facts->command_pid > 0) return record.facts->command_pid;
    return std::nullopt;
}

// The signals that reached the program through the supervisor.

namespace {

constexpr std::int64_t from_kernel = 1;
constexpr std::int64_t whole_group = 2;

std::optional<int> id(std::int64_t value) {
    if (value < 0 || value > INT32_MAX) return std::nullopt;
    return static_cast<int>(value);
}

}  // namespace

std::vector<SignalSeen> signals(const RunRecord& record, const RunClock& clock) {
    std::vector<SignalSeen> all;
    for (const format::Event& event : record.events) {
        if (event.kind != format::EventKind::signal || event.a < 1 || event.a > 64) continue;
        SignalSeen seen;
        seen.time = clock.at(event.time);
        seen.number = static_cast<int>(event.a);
        seen.sender_pid = id(event.b);
        seen.sender_uid = id(event.c);
        seen.sender = clean(event_text(event), 200);
        seen.from_kernel = (event.d & from_kernel) != 0;
        seen.whole_group = (event.d & whole_group) != 0;
        all.push_back(std::move(seen));
    }
    return all;
}

}  // namespace holdfast::gatherers
