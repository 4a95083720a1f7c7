// Records who sent a signal; then the program's own action follows.
#include "agent/box/events.h"
#include "agent/crash/crash.h"
#include "agent/signals/program_stack.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/table.h"

#include <errno.h>

namespace holdfast::agent {
namespace {

void sent(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const struct sigaction theirs = program_action(number);
    if (own_process()) {
        // Timers and terminals give no sender; the field then holds something else.
        const bool has_sender =
            info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE;
        note_signal(number, info->si_code, has_sender ? info->si_pid : 0,
                    has_sender ? static_cast<int>(info->si_uid) : 0);
    }
    errno = error;
    if (theirs.sa_handler == SIG_DFL) {
        default_follows(number, *info, false);
        errno = error;
        return;
    }
    if (theirs.sa_handler == SIG_IGN) return;
    const ProgramStack stack(theirs, context);
    if (stack.ends_for_lack_of_room()) return;
    if ((static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0) forget_handler(number);
    errno = error;
    stack.call(number, info, context);
}

// Their mask and flags, so that the kernel blocks, restarts and chooses the stack as it would.
struct sigaction before(const struct sigaction& theirs) {
    struct sigaction ours = theirs;
    ours.sa_sigaction = sent;
    ours.sa_flags = flags_for_kernel(theirs);
    // A thread may run on a tiny stack of its own; the default action needs none.
    if (theirs.sa_handler == SIG_DFL) ours.sa_flags = SA_ONSTACK | SA_RESTART;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_flags &= ~static_cast<int>(SA_RESETHAND);
    return ours;
}

constexpr Front senders{sent, before};

}  // namespace

void watch_senders() {
    for (const int number : sent_signals) stand_before(number, senders);
}

}  // namespace holdfast::agent
