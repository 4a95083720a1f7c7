#include "agent/signals/program_stack.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "agent/base/self_memory.h"
#include "agent/crash/record.h"
#include "agent/crash/stack.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/signal_stack.h"
#include "agent/signals/table.h"

namespace holdfast::agent {
namespace {

constexpr std::uintptr_t red_zone = 128;

constinit std::atomic<bool> watching{false};
constinit std::atomic<bool> has_stacks{false};  // the program, somewhere

struct Call {
    SignalHandler handler;
    void* context;
    SignalMask mask;
};

// While we are away from our alternate stack, the kernel takes it for unused and would put the next
// signal on top of our caller's frame. The return to the program sets it up again.
void call_away_from_ours(int number, siginfo_t* info, void* argument) {
    const Call call = *static_cast<Call*>(argument);
    const int error = errno;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::syscall(SYS_sigaltstack, &none, nullptr);
    change_mask(SIG_SETMASK, call.mask);
    errno = error;
    call.handler(number, info, call.context);
    const int after = errno;
    change_mask(SIG_BLOCK, every_signal);
    errno = after;
}

// The main thread's stack grows at a touch, but since Linux 6.5 not for the call below.
bool may_grow_to(std::uintptr_t at) {
    const std::uintptr_t top = ::getauxval(AT_EXECFN);
    rlimit limit{};
    return at < top && ::getrlimit(RLIMIT_STACK, &limit) == 0 && top - at < limit.rlim_cur;
}

// Nothing there is in use: the kernel would have overwritten it with its frame.
bool can_write(std::uintptr_t at) {
    char nothing = 0;
    iovec from{&nothing, 1};
    iovec to{reinterpret_cast<void*>(at), 1};
    const long done = ::syscall(SYS_process_vm_writev, ::getpid(), &from, 1UL, &to, 1UL, 0UL);
    return done == 1 || errno != EFAULT || may_grow_to(at);
}

// In front of handlers with SA_ONSTACK; whatever else the program sets is installed as it is.
void relay(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const struct sigaction theirs = program_action(number);
    if (theirs.sa_handler == SIG_DFL) default_follows(number, *info, false);
    errno = error;
    if (!is_handler(theirs)) return;
    const ProgramStack stack(theirs, context);
    if (stack.ends_for_lack_of_room()) return;
    if ((static_cast<unsigned>(theirs.sa_flags) & SA_RESETHAND) != 0) forget_handler(number);
    errno = error;
    stack.call(number, info, context);
}

bool asks_for_stack(const struct sigaction& theirs) {
    return is_handler(theirs) && (theirs.sa_flags & SA_ONSTACK) != 0;
}

// With the program's mask and flags, so that the kernel blocks and restarts as it would.
struct sigaction before(const struct sigaction& theirs) {
    struct sigaction ours = theirs;
    ours.sa_flags = flags_for_kernel(theirs);
    if (!asks_for_stack(ours)) return ours;
    ours.sa_sigaction = relay;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_flags &= ~static_cast<int>(SA_RESETHAND);
    return ours;
}

constexpr Front relays{relay, before};

}  // namespace

ProgramStack::ProgramStack(const struct sigaction& theirs, const void* context)
    : handler_(theirs.sa_sigaction) {
    const auto& interrupted = *static_cast<const ucontext_t*>(context);
    if ((theirs.sa_flags & SA_ONSTACK) == 0 || !is_own_signal_stack(interrupted.uc_stack)) return;
    top_ = ((stack_pointer(context) - red_zone) & ~std::uintptr_t{15}) - signal_frame_size();
}

bool ProgramStack::ends_for_lack_of_room() const {
    if (top_ == 0) return false;
    const KeepErrno keep;
    if (can_write(top_ + signal_frame_size() - 8) && can_write(top_)) return false;
    siginfo_t forced{};
    forced.si_signo = SIGSEGV;
    forced.si_code = SI_KERNEL;
    default_follows(SIGSEGV, forced, false);
    return true;
}

void ProgramStack::call(int number, siginfo_t* info, void* context) const {
    if (top_ == 0) {
        handler_(number, info, context);
        return;
    }
    const int error = errno;
    // The stack that was found, not the one in the context: during sigsuspend(2) the two differ.
    Call call{handler_, context, change_mask(SIG_BLOCK, every_signal)};
    errno = error;
    holdfast_call_on(reinterpret_cast<void*>(top_), call_away_from_ours, number, info, &call);
}

void ProgramStack::call(int number, siginfo_t* info, void* context, SignalMask mask) const {
    if (top_ == 0) {
        const int error = errno;
        change_mask(SIG_SETMASK, mask);
        errno = error;
        handler_(number, info, context);
        return;
    }
    Call call{handler_, context, mask};
    holdfast_call_on(reinterpret_cast<void*>(top_), call_away_from_ours, number, info, &call);
}

bool has_little_room(const void* context) {
    constexpr std::size_t for_handlers = 8U << 10U;  // theirs, and ours on top of it
    const stack_t& shape = static_cast<const ucontext_t*>(context)->uc_stack;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t room = here - reinterpret_cast<std::uintptr_t>(shape.ss_sp);
    return room < shape.ss_size && room < signal_frame_size() + for_handlers &&
           !is_own_signal_stack(shape);
}

void watch_handlers_on_stack() { watching.store(true, std::memory_order_relaxed); }

void leave_handlers_on_stack() { watching.store(false, std::memory_order_relaxed); }

void stand_before_on_stack(int number, const struct sigaction& theirs) {
    if (!watching.load(std::memory_order_relaxed) || !asks_for_stack(theirs)) return;
    if (number == SIGKILL || number == SIGSTOP) return;
    stand_before(number, relays);
}

void program_sets_stack() {
    if (has_stacks.load(std::memory_order_relaxed) || !own_process()) return;
    if (!has_stacks.exchange(true)) install_again();
}

int flags_for_kernel(const struct sigaction& theirs) {
    const bool ours_only = watching.load(std::memory_order_relaxed) && !has_stacks.load();
    return ours_only ? theirs.sa_flags & ~SA_ONSTACK : theirs.sa_flags;
}

}  // namespace holdfast::agent
