#include "supervise/own_state.h"

#include <sys/prctl.h>

namespace holdfast {
namespace {

bool runs(const itimerval& timer) {
    return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

}  // namespace

OwnState OwnState::take() {
    OwnState state;
    // Block all signals. That is safe: a fault of our own (SIGSEGV and its kin) ends us even while
    // blocked. And a SIGABRT or SIGQUIT from a watchdog still reaches the program instead of us.
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &state.mask_);
    for (std::size_t i = 0; i < changed_signals.size(); ++i)
        ::sigaction(changed_signals[i], nullptr, &state.actions_[i]);
    // If it is ignored, children vanish without a status.
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, nullptr);
    // Timers survive exec but not our fork in between, so they would ring for us.
    for (std::size_t i = 0; i < timers.size(); ++i) {
        const itimerval stopped{};
        if (::getitimer(timers[i], &state.timers_[i]) == 0 && runs(state.timers_[i]))
            ::setitimer(timers[i], &stopped, nullptr);
    }
    // We need three descriptors per watched process: the program's soft limit may be too low.
    state.descriptors_known_ = ::getrlimit(RLIMIT_NOFILE, &state.descriptors_) == 0;
    if (state.descriptors_known_) {
        rlimit ours = state.descriptors_;
        ours.rlim_cur = ours.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &ours);
    }
    if (::prctl(PR_GET_CHILD_SUBREAPER, &state.subreaper_) != 0) state.subreaper_ = 0;
    return state;
}

void OwnState::hand_back() const {
    ::prctl(PR_SET_CHILD_SUBREAPER, subreaper_);
    if (descriptors_known_) ::setrlimit(RLIMIT_NOFILE, &descriptors_);
    for (std::size_t i = 0; i < changed_signals.size(); ++i)
        ::sigaction(changed_signals[i], &actions_[i], nullptr);
    for (std::size_t i = 0; i < timers.size(); ++i)
        if (runs(timers_[i])) ::setitimer(timers[i], &timers_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace holdfast
