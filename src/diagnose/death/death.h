// One process's end, as far as it was seen; every rule judges one of these.
#pragma once

#include <optional>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

struct Death {
    // How the exit status came to us. A shell's 137 only hints at its child's SIGKILL.
    enum class Told { status, wrapper, text, nobody };

    const Evidence& all;
    const ProcessEvidence* process = nullptr;  // absent: it came and went between two looks
    int pid = 0;
    ExitStatus exit;
    Told told = Told::status;
    std::optional<RunTime> time;
    // Whether this end decided the run: then stderr's last words and the signals are its own.
    bool decides = true;
    // It has not ended yet, so there is no exit status.
    bool lives = false;
    // The exception its agent recorded, of a process whose stderr is not the run's own.
    std::optional<TracebackText> own_traceback = {};

    bool by(int signal) const { return exit.signal == signal; }
    bool exit_known() const { return exit.code.has_value() || exit.signal.has_value(); }
    bool failed() const { return !exit_known() || exit.signal || *exit.code != 0; }
    bool sure_of_exit() const { return exit_known() && told == Told::status; }
    const CgroupEvidence* cgroup() const;
    // Whether a Python interpreter is what died.
    bool python() const { return process != nullptr && process->python; }
};

// The end that decided the run: the command's, or, where the command is a shell script or another
// wrapper that only passed the status on, the end of the program it started.
Death deciding_death(const Evidence& evidence);

// The end of another process of the tree; nothing while it lives.
std::optional<Death> death_of(const Evidence& evidence, const ProcessEvidence& process);

// "main", "worker", "rank 3"
std::string role_name(const ProcessEvidence* process);

}  // namespace holdfast
