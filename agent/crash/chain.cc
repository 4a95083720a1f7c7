// Mask, one-time handlers, and the stack: a handler that asked for an alternate stack, on a thread
// to which the program gave none, runs on the thread's ordinary one.
#include "agent/crash/chain.h"

#include <errno.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "agent/crash/record.h"
#include "agent/crash/stack.h"
#include "agent/signals/mask.h"
#include "agent/signals/table.h"
#include "agent/signals/thread_stack.h"

namespace holdfast::agent {
namespace {

constexpr std::uintptr_t red_zone = 128;

struct Call {
    SignalHandler handler;
    void* context;
};

// While we are away from our alternate stack the kernel takes it for unused, and would put the next
// signal on top of our caller's frame. Its return to the program sets it up again.
void call_away_from_ours(int number, siginfo_t* info, void* argument) {
    const Call call = *static_cast<Call*>(argument);
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::syscall(SYS_sigaltstack, &none, nullptr);
    call.handler(number, info, call.context);
}

// Nothing there is in use: the kernel would have written its frame over it.
bool can_write(std::uintptr_t at) {
    char nothing = 0;
    iovec from{&nothing, 1};
    iovec to{reinterpret_cast<void*>(at), 1};
    const long done = ::syscall(SYS_process_vm_writev, ::getpid(), &from, 1UL, &to, 1UL, 0UL);
    return done == 1 || errno != EFAULT;
}

}  // namespace

void call_program_handler(const struct sigaction& theirs, int number, siginfo_t* info,
                          void* context) {
    const int error = errno;
    const auto& interrupted = *static_cast<ucontext_t*>(context);
    if ((static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0) forget_handler(number);
    SignalMask mask = mask_of(interrupted.uc_sigmask) | mask_of(theirs.sa_mask);
    if ((theirs.sa_flags & SA_NODEFER) == 0) mask |= mask_of(number);

    const bool on_ours =
        (theirs.sa_flags & SA_ONSTACK) != 0 && is_own_signal_stack(interrupted.uc_stack);
    const std::uintptr_t top = (stack_pointer(context) - red_zone) & ~std::uintptr_t{15};
    if (on_ours && (!can_write(top - 8) || !can_write(top - signal_frame_size()))) {
        // No room for a signal frame: that is the end, whatever handler there is.
        siginfo_t forced{};
        forced.si_signo = SIGSEGV;
        forced.si_code = SI_KERNEL;
        default_follows(SIGSEGV, forced, false);
        errno = error;
        return;
    }
    change_mask(SIG_SETMASK, mask);
    errno = error;
    if (!on_ours) {
        theirs.sa_sigaction(number, info, context);
        return;
    }
    Call call{theirs.sa_sigaction, context};
    holdfast_call_on(reinterpret_cast<void*>(top - signal_frame_size()), call_away_from_ours,
                     number, info, &call);
}

}  // namespace holdfast::agent
