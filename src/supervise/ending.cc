#include "supervise/ending.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace holdfast {

void end_as(int wait_status) {
    if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
    const int number = WTERMSIG(wait_status);
    // The program left its core already; a second one, of us, would only mislead.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    ::raise(number);  // pending until unblocked
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    // Still here: as PID 1 no default action applies to us.
    ::_exit(128 + number);
}

}  // namespace holdfast
