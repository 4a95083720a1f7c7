#include "diagnose/death/death.h"

#include "base/format.h"

namespace holdfast {
namespace {

// Whether the wrapper's program ran on this machine and in the wrapper's cgroup. srun starts
// programs on other machines, and a container client starts them in another cgroup: the counters
// here say nothing about their 137.
bool passes_status_on(const ProcessEvidence& process) {
    return process.wrapper && process.name != "srun";
}

// The signal in 128+N: how shells and container runtimes report the signal of their child.
std::optional<int> signal_in_code(const ExitStatus& exit) {
    if (!exit.code || *exit.code <= 128 || *exit.code > 128 + 64) return std::nullopt;
    return *exit.code - 128;
}

bool bad(const ExitStatus& exit) { return exit.signal || (exit.code && *exit.code != 0); }

// Whether the wrapper's status reports the program's end, and not an end of its own.
bool passed_on(const ExitStatus& wrapper, const ExitStatus& program) {
    if (wrapper.signal) return program.signal == wrapper.signal;
    if (!bad(wrapper)) return !bad(program);
    return bad(program);
}

// The child that a shell's 128+N is about, if nothing else tells.
const ProcessEvidence* signalled_child(const Evidence& evidence, const ProcessEvidence& wrapper) {
    const std::optional<int> signal = signal_in_code(evidence.exit);
    if (!signal || !passes_status_on(wrapper)) return nullptr;
    const ProcessEvidence* last = nullptr;
    for (const ProcessEvidence& process : evidence.processes) {
        if (process.parent != wrapper.pid || !process.ended) continue;
        if (process.exit && process.exit->signal != signal) continue;
        // A child whose status was read comes first; among equals the last to end.
        const bool better =
            last == nullptr || (process.exit && !last->exit) ||
            (process.exit.has_value() == last->exit.has_value() && process.ended >= last->ended);
        if (better) last = &process;
    }
    return last;
}

// The uncaught exception of its main thread.
std::optional<TracebackText> recorded_exception(const Evidence& evidence, int pid) {
    std::optional<TracebackText> last;
    for (const AgentEvidence& agent : evidence.agents) {
        if (agent.pid != pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions)
            if (thrown.in_main_thread && !thrown.type.empty())
                last = TracebackText{thrown.frames, thrown.type, thrown.message, true, true};
    }
    return last;
}

Death end_of_command(const Evidence& evidence, const ProcessEvidence* command) {
    const int pid = command != nullptr ? command->pid : evidence.main_pid.value_or(0);
    Death death{.all = evidence,
                .process = command,
                .pid = pid,
                .exit = evidence.exit,
                .time = evidence.end_time};
    if (!death.time && command != nullptr) death.time = command->ended;
    if (!death.exit_known()) death.told = Death::Told::nobody;
    return death;
}

}  // namespace

const CgroupEvidence* Death::cgroup() const {
    // A process that was never looked at most likely lived in its parents' cgroup.
    const ProcessEvidence* from = process != nullptr ? process : all.main();
    return from != nullptr ? all.cgroup_of(*from) : nullptr;
}

namespace {

bool is_python(const Evidence& evidence, int pid) {
    for (const AgentEvidence& agent : evidence.agents)
        if (agent.pid == pid && !agent.python.empty()) return true;
    return false;
}

// In `python train.py | tee log` a shell ends with the status of `tee`, and the status of Python is
// lost. Applies only if no other Python came later.
const ProcessEvidence* lost_in_a_pipeline(const Evidence& evidence, const ProcessEvidence& shell) {
    if (!passes_status_on(shell) || evidence.exit.code != 0) return nullptr;
    const ProcessEvidence* lost = nullptr;
    for (const ProcessEvidence& process : evidence.processes) {
        if (process.parent != shell.pid || !process.ended || !is_python(evidence, process.pid))
            continue;
        if (lost == nullptr || process.first_seen >= lost->first_seen) lost = &process;
    }
    if (lost == nullptr || !lost->exit || !bad(*lost->exit)) return nullptr;
    return lost->exit->signal || recorded_exception(evidence, lost->pid) ? lost : nullptr;
}

}  // namespace

Death deciding_death(const Evidence& evidence) {
    const ProcessEvidence* main = evidence.main();
    const ProcessEvidence* command =
        evidence.processes.empty() ? nullptr : &evidence.processes.front();
    if (command == nullptr) return end_of_command(evidence, main);

    const ProcessEvidence* lost = lost_in_a_pipeline(evidence, *command);
    const ProcessEvidence* program =
        main != nullptr && main != command ? main : signalled_child(evidence, *command);
    const bool went_before = lost != nullptr && program != nullptr && program->exit &&
                             !bad(*program->exit) && program->first_seen < lost->first_seen;
    if (lost != nullptr && (program == nullptr || went_before)) program = lost;
    const bool command_end_known = evidence.exit.code || evidence.exit.signal;
    if (program != nullptr && program->exit &&
        (!command_end_known || passed_on(evidence.exit, *program->exit) || program == lost)) {
        return {.all = evidence,
                .process = program,
                .pid = program->pid,
                .exit = *program->exit,
                .time = program->ended ? program->ended : evidence.end_time};
    }
    const bool hidden = program != nullptr && !program->exit;
    if (!command_end_known && program != nullptr) {
        return {.all = evidence,
                .process = program,
                .pid = program->pid,
                .exit = {},
                .told = Death::Told::nobody,
                .time = program->ended};
    }
    const std::optional<int> hint = signal_in_code(evidence.exit);
    if (hidden && evidence.exit.code) {
        ExitStatus told = evidence.exit;
        if (hint) told = {.code = std::nullopt, .signal = hint};
        return {.all = evidence,
                .process = program,
                .pid = program->pid,
                .exit = told,
                .told = Death::Told::wrapper,
                .time = program->ended ? program->ended : evidence.end_time};
    }
    Death death = end_of_command(evidence, command);
    if (hint && program == nullptr && passes_status_on(*command)) {
        death.exit = {.code = std::nullopt, .signal = hint};
        death.told = Death::Told::wrapper;
    }
    return death;
}

std::optional<Death> death_of(const Evidence& evidence, const ProcessEvidence& process) {
    if (!process.ended && !process.exit) return std::nullopt;
    Death death{.all = evidence,
                .process = &process,
                .pid = process.pid,
                .exit = process.exit.value_or(ExitStatus{}),
                .time = process.ended,
                .decides = false};
    if (!death.exit_known()) death.told = Death::Told::nobody;
    if (death.exit.code == 1) death.own_traceback = recorded_exception(evidence, process.pid);
    return death;
}

std::string role_name(const ProcessEvidence* process) {
    if (process == nullptr) return "main";
    switch (process->role) {
    case Role::worker: return "worker";
    case Role::rank: return process->rank ? formatted("rank {}", *process->rank) : "worker";
    // The verdict's JSON has no role for helpers. A helper that decided the run did so as a part of
    // it.
    case Role::helper: return "worker";
    case Role::main: break;
    }
    return "main";
}

}  // namespace holdfast
