// Process state that the supervisor changes for itself and must restore for the program, because
// fork and exec pass it on.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>

#include <array>
#include <csignal>

namespace holdfast {

class OwnState {
public:
    // Saves the current state, then prepares this process for watching: blocks every signal, makes
    // children waitable, raises the descriptor limit, stops timers.
    static OwnState take();

    // Restores everything, in the program's process or in ours, just before exec. Safe between fork
    // and exec.
    void hand_back() const;

private:
    OwnState() = default;

    static constexpr std::array changed_signals{SIGCHLD, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static constexpr std::array timers{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

    sigset_t mask_{};
    std::array<struct sigaction, changed_signals.size()> actions_{};
    std::array<itimerval, timers.size()> timers_{};
    rlimit descriptors_{};
    bool descriptors_known_ = false;
    int subreaper_ = 0;
};

}  // namespace holdfast
