#include "supervise/crash_mark.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>

#include "base/young_calls.h"

namespace holdfast {
namespace {

// A signal handler can reach these only as globals.
std::atomic<FarewellPage*> page_of_crash{nullptr};
std::atomic<pid_t> owner{0};
alignas(16) std::array<std::byte, 32U << 10U> handler_stack;  // to handle stack overflows, too

void on_crash(int number, siginfo_t* info, void* context) {
    // abort() sends its signal to itself. A signal from any other process is meant for the program:
    // block it and send it to ourselves again, with all its data, so that it waits to be routed.
    const bool sent = info->si_code <= 0 && number != SIGABRT;
    if (sent) {
        sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, number);
        ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread_id(), number, info);
        return;
    }
    FarewellPage* const page = page_of_crash.load();
    // A helper that we forked inherits this handler.
    if (page != nullptr && owner.load() == ::getpid()) page->farewell.store(Farewell::crashing);
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(number, &plain, nullptr);  // then the fault happens again and kills us
}

}  // namespace

void mark_crashes_on(FarewellPage* page) {
    page_of_crash.store(page);
    if (page == nullptr || owner.exchange(::getpid()) == ::getpid()) return;
    stack_t stack{};
    stack.ss_sp = handler_stack.data();
    stack.ss_size = handler_stack.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigset_t faults;
    sigemptyset(&faults);
    for (const int number : fault_signals) {
        ::sigaction(number, &action, nullptr);
        sigaddset(&faults, number);
    }
    ::sigaction(SIGABRT, &action, nullptr);  // blocked until abort() itself unblocks it
    ::sigprocmask(SIG_UNBLOCK, &faults, nullptr);
}

}  // namespace holdfast
