// The crash handlers: which thread records, which ones wait, and what follows.
#include "agent/crash/crash.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <ucontext.h>

#include <atomic>

#include "agent/base/private_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/crash/chain.h"
#include "agent/crash/crash_slot.h"
#include "agent/crash/memory.h"
#include "agent/crash/record.h"
#include "agent/crash/stack.h"
#include "agent/process/own_process.h"
#include "agent/process/quiet.h"
#include "agent/signals/program_stack.h"
#include "agent/signals/runtime.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/signal_stack.h"
#include "agent/signals/table.h"

namespace holdfast::agent {
namespace {

using format::Crash;
using format::CrashState;

enum class Phase : int {
    idle = 0,
    recording,
    ending,   // the default action follows: nobody else needs to do anything
    handled,  // a handler of the program is at work, or has left by a jump
};

// The latest crash of this process. Wiped by fork: a child has had none.
struct Latest {
    std::atomic<Phase> phase;
    std::atomic<int> tid;
    int number;
    bool defers;  // the program's handler runs with the signal blocked
    std::uintptr_t sp;
    std::atomic<int> survived;
    std::atomic<Crash*> record;
};
Latest* latest = nullptr;
CrashStacks stacks;
thread_local bool records __attribute__((tls_model("initial-exec"))) = false;  // this thread, now

// After this many survived faults, a program seems to use faults as a tool and is left alone.
constexpr int most_survived = 3;
constexpr int patience_ms = 3000;
constexpr SignalMask while_recording = every_signal & ~crash_mask();

void sleep_ms(long milliseconds) {
    const timespec time{0, milliseconds * 1'000'000};
    ::syscall(SYS_nanosleep, &time, nullptr);
}

// On the recording stack. Meanwhile the kernel would take the alternate stack for unused, although
// our caller's frame lies there: so other signals get another stack.
void record(int number, siginfo_t* info, void* context) {
    stack_t before{};
    ::syscall(SYS_sigaltstack, &stacks.nested, &before);
    change_mask(SIG_SETMASK, while_recording);
    jmp_buf here;
    if (_setjmp(here) == 0) {
        landing = &here;
        Crash* taken = take_crash_slot(latest->record.load());
        latest->record.store(taken);
        if (taken != nullptr) fill_record(*taken, number, *info, context, stacks.helper_top);
    }
    landing = nullptr;
    change_mask(SIG_SETMASK, while_recording);
    before.ss_flags &= SS_DISABLE;
    ::syscall(SYS_sigaltstack, &before, nullptr);
}

// A signal arrives in this thread while it records. If somebody sent it, it waits until we are
// done; if it is a fault, it is our own, and ends the recording.
void interrupted_recording(int number, siginfo_t* info, void* context) {
    if (!was_sent(*info) && landing != nullptr) _longjmp(*landing, 1);
    auto* interrupted = static_cast<ucontext_t*>(context);
    put_mask(interrupted->uc_sigmask, mask_of(interrupted->uc_sigmask) | mask_of(number));
    change_mask(SIG_BLOCK, mask_of(number));
    ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), own_thread_id(), number, info);
}

// A crash on the thread of the latest one: whether it is a new one, after the program's handler
// jumped out, or part of handling the latest one.
bool is_another(int number, const siginfo_t& info, std::uintptr_t sp) {
    if (was_sent(info)) return false;
    if (number == latest->number && latest->defers) return true;
    return sp >= latest->sp;
}

// Many handlers end with "restore the default and raise again". That arrives where the fault was,
// and the record of the fault stays.
bool is_raised_again(int number, const siginfo_t& info, std::uintptr_t sp, int tid) {
    const Crash* record = latest->record.load();
    return record != nullptr && was_sent(info) && latest->tid.load() == tid &&
           latest->number == number && latest->sp == sp &&
           state_of(*record) == CrashState::complete;
}

// Whether this thread may record; the phase is `recording` then.
bool may_record(int number, const siginfo_t& info, const void* context, int tid) {
    for (int waited = 0; waited < patience_ms; ++waited) {
        Phase phase = latest->phase.load();
        const bool own = latest->tid.load() == tid;
        if (phase == Phase::idle || phase == Phase::handled) {
            if (phase == Phase::idle && is_raised_again(number, info, stack_pointer(context), tid))
                return false;
            bool again = phase == Phase::idle;
            if (phase == Phase::handled && own) {
                if (!is_another(number, info, stack_pointer(context))) return false;
                latest->survived.fetch_add(1);
                again = true;
            }
            if (!latest->phase.compare_exchange_strong(phase, Phase::recording)) continue;
            latest->tid.store(tid);
            latest->number = number;
            latest->sp = stack_pointer(context);
            // Another thread's handler still handles the latest crash: that record stays.
            if (!again) latest->record.store(nullptr);
            return true;
        }
        if (own) return false;
        sleep_ms(1);
    }
    return false;
}

bool ends_by_default(const struct sigaction& theirs, const siginfo_t& info) {
    return theirs.sa_handler == SIG_DFL || (theirs.sa_handler == SIG_IGN && !was_sent(info));
}

// These signals fault again by themselves. A bus error need not: memory may be free by then.
bool comes_again(int number, const siginfo_t& info) {
    return !was_sent(info) && number != SIGBUS && number != SIGABRT;
}

Crash* record_once(int number, siginfo_t* info, void* context, const struct sigaction& theirs) {
    const bool ends = ends_by_default(theirs, *info);
    if (!ends && latest->survived.load() >= most_survived) return nullptr;
    if (!may_record(number, *info, context, own_thread_id())) return nullptr;
    int cancel = 0;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    const bool was_busy = busy;
    busy = records = true;
    holdfast_call_on(stacks.record_top, record, number, info, context);
    records = false;
    busy = was_busy;
    ::pthread_setcancelstate(cancel, nullptr);
    Crash* taken = latest->record.load();
    latest->defers = (theirs.sa_flags & SA_NODEFER) == 0;
    latest->phase.store(ends ? Phase::ending : Phase::handled);
    return taken;
}

// The program's handler has returned, and the end may still follow: by libc, for abort(3); by the
// signal raised again; or by the same fault, now that the default is restored.
bool end_follows(int number, const siginfo_t& info) {
    SignalMask pending = 0;
    ::syscall(SYS_rt_sigpending, &pending, sizeof pending);
    if ((pending & mask_of(number)) != 0) return true;
    if (was_sent(info)) return number == SIGABRT;
    return program_action(number).sa_handler == SIG_DFL;
}

void went_on(int number, const siginfo_t& info, Crash* taken) {
    latest->survived.fetch_add(1);
    if (!end_follows(number, info)) mark_survived(*taken);
    Phase handled = Phase::handled;
    if (latest->tid.load() == own_thread_id())
        latest->phase.compare_exchange_strong(handled, Phase::idle);
}

void crashed(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const struct sigaction theirs = program_action(number);
    const bool own = own_process();
    if (own && records) {
        interrupted_recording(number, info, context);
        errno = error;
        return;
    }
    step_back(crashed);  // an earlier handler may have left by a jump
    Crash* taken = own ? record_once(number, info, context, theirs) : nullptr;
    if (ends_by_default(theirs, *info)) {
        default_follows(number, *info, comes_again(number, *info));
        errno = error;
        return;
    }
    errno = error;
    if (theirs.sa_handler == SIG_IGN) return;
    // It may end with abort(3).
    if (own && latest->survived.load() < most_survived && has_little_room(context))
        step_aside(crashed);
    errno = error;
    call_program_handler(theirs, number, info, context);
    if (!own) return;
    const int after = errno;
    step_back(crashed);
    if (taken != nullptr) went_on(number, *info, taken);
    errno = after;
}

// On the alternate stack only if the program's own handler would be there, too, or if it has no
// handler. The mask for its handler is set when it is called.
struct sigaction before(const struct sigaction& theirs) {
    struct sigaction ours {};
    ours.sa_sigaction = crashed;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER;
    ours.sa_flags |= is_handler(theirs) ? theirs.sa_flags & (SA_ONSTACK | SA_RESTART) : SA_ONSTACK;
    put_mask(ours.sa_mask, while_recording);
    return ours;
}

constexpr Front crashes{crashed, before};

// The thread of the latest crash is probably still within the program's handler: no jump has
// restored its signal mask.
bool in_handler() {
    if (latest->phase.load() != Phase::handled || latest->tid.load() != own_thread_id())
        return false;
    return !latest->defers || (change_mask(SIG_BLOCK, 0) & mask_of(latest->number)) != 0;
}

// A clean end: the crash was survived, unless its handler itself is what ends the process.
__attribute__((destructor)) void settle() {
    if (quiet() || latest == nullptr || latest->number == 0 || !own_process() || in_handler())
        return;
    mark_all_survived();
}

}  // namespace

void watch_crashes() {
    if (is_go_program()) return;
    latest = static_cast<Latest*>(wiped_on_fork(sizeof(Latest)));
    if (latest == nullptr || !make_crash_stacks(stacks)) return;
    map_crash_box();
    prepare_record();
    offer_signal_stacks();
    if (SignalStack* own = take_signal_stack()) use_signal_stack(own);
    watch_handlers_on_stack();
    for (const int number : crash_signals) stand_before(number, crashes);
}

}  // namespace holdfast::agent
