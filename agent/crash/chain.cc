// Mask, one-time handlers, and the stack.
#include "agent/crash/chain.h"

#include <errno.h>
#include <ucontext.h>

#include "agent/signals/program_stack.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/table.h"

namespace holdfast::agent {

void call_program_handler(const struct sigaction& theirs, int number, siginfo_t* info,
                          void* context) {
    const int error = errno;
    if ((static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0) forget_handler(number);
    SignalMask mask = mask_of(static_cast<ucontext_t*>(context)->uc_sigmask);
    mask |= mask_of(theirs.sa_mask);
    if ((theirs.sa_flags & SA_NODEFER) == 0) mask |= mask_of(number);
    const ProgramStack stack(theirs, context);
    errno = error;
    if (!stack.ends_for_lack_of_room()) stack.call(number, info, context, mask);
}

}  // namespace holdfast::agent
