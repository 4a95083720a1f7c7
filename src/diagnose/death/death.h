// One process's end, as far as it was seen; every rule judges one of these.
#pragma once

#include <optional>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

struct Death {
    // How we know the exit status. A shell's 137 only hints at its child's SIGKILL.
    enum class Told { status, wrapper, text, nobody };

    const Evidence& all;
    const ProcessEvidence* process = nullptr;  // absent: it came and went between two looks
    int pid = 0;
    ExitStatus exit;
    Told told = Told::status;
    std::optional<RunTime> time;
    // Whether this end decided the run: if so, stderr's last words and the signals belong to it.
    bool decides = true;
    // It has not ended yet, so there is no exit status.
    bool lives = false;
    // The exception that its agent recorded, for a process other than the deciding one.
    std::optional<TracebackText> own_traceback = {};

    bool by(int signal) const { return exit.signal == signal; }
    bool exit_known() const { return exit.code.has_value() || exit.signal.has_value(); }
    bool failed() const { return !exit_known() || exit.signal || *exit.code != 0; }
    bool sure_of_exit() const { return exit_known() && told == Told::status; }
    const CgroupEvidence* cgroup() const;
    // Whether a Python interpreter is what died.
    bool python() const { return process != nullptr && process->python; }
};

// The end that decided the run: the command's; or, if the command is a wrapper (such as a shell
// script) that only passed a status on, the end of the program that it started.
Death deciding_death(const Evidence& evidence);

// The end of another process of the tree; nothing while it lives.
std::optional<Death> death_of(const Evidence& evidence, const ProcessEvidence& process);

// "main", "worker", "rank 3"
std::string role_name(const ProcessEvidence* process);

}  // namespace holdfast
