// Calls what() of an exception on another thread than the one that crashed.
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/base/text.h"
#include "agent/crash/exception.h"
#include "agent/crash/memory.h"
#include "agent/signals/signal_set.h"

namespace holdfast::agent {
namespace {

struct Question {
    std::uintptr_t speaker;
    char* answer;
    std::size_t room;
};

// Before Linux 5.16, a core dump of the helper would take the crashed process with it.
void end_helper(int, siginfo_t*, void*) { ::syscall(SYS_exit_group, 1); }

int ask(void* argument) {
    const auto& question = *static_cast<const Question*>(argument);
    for (const int number : crash_signals) {
        struct sigaction action {};
        action.sa_sigaction = end_helper;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(number, &action, nullptr);
    }
    using What = const char* (*)(std::uintptr_t);
    // The third entry of std::exception's virtual table, behind two destructors.
    const What* table = *reinterpret_cast<const What**>(question.speaker);
    const char* text = table[2](question.speaker);
    if (text != nullptr)
        read_string(reinterpret_cast<std::uintptr_t>(text), question.answer, question.room);
    ::syscall(SYS_exit_group, 0);
    return 0;
}

}  // namespace

void ask_exception(const ThrownException& thrown, format::Crash& crash, void* helper_stack_top) {
    if (thrown.speaker == 0) return;
    Question question{thrown.speaker, crash.exception_what, sizeof crash.exception_what};
    // No signal at its end, so that the program's own wait(2) never meets it.
    const int helper = ::clone(ask, helper_stack_top, CLONE_VM, &question);
    if (helper < 0) return;
    constexpr int patience_ms = 250;
    const timespec millisecond{0, 1'000'000};
    for (int waited = 0; waited < patience_ms; ++waited) {
        if (::syscall(SYS_wait4, helper, nullptr, WNOHANG | __WCLONE, nullptr) == helper) return;
        ::syscall(SYS_nanosleep, &millisecond, nullptr);
    }
    ::kill(helper, SIGKILL);
    ::syscall(SYS_wait4, helper, nullptr, __WCLONE, nullptr);
}

}  // namespace holdfast::agent
