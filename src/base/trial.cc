#include "base/trial.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace holdfast {

namespace {

// Shared memory: of everything else the child has only a copy.
struct Report {
    volatile bool waits;  // wait4 is allowed and answers
    volatile bool asks;   // getpgid is allowed and answers
    volatile bool lived;
};

// ECHILD comes from the kernel itself. A filter that refuses the call gives another error.
bool waits_for_nobody(long answer) { return answer < 0 && errno == ECHILD; }

// Starts the child with CLONE_VFORK: returns once the child has released its memory.
long start(Report& report, void (*trial)(), bool by_waiting) {
    const long pid =
        ::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (pid != 0) return pid;
    ::prctl(PR_SET_DUMPABLE, 0);
    if (by_waiting) {
        report.waits = waits_for_nobody(::waitpid(::getpid(), nullptr, WNOHANG));
    } else {
        ::getpgid(0);
        report.asks = true;
    }
    if (trial != nullptr) trial();
    report.lived = true;
    ::_exit(0);
}

// CLONE_VFORK returns before the child is reaped. A parent that did not wait would get SIGCHLD
// later; and if it then called exec, the new program would have a child that it never started.
void until_gone(long pid, const Report& report) {
    if (report.waits)
        while (::waitpid(static_cast<pid_t>(pid), nullptr, 0) < 0 && errno == EINTR) continue;
    else if (report.asks)
        while (::getpgid(static_cast<pid_t>(pid)) >= 0) continue;
}

}  // namespace

bool survives(void (*trial)()) {
    void* const page =
        ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return true;
    auto& report = *static_cast<Report*>(page);
    // Lets the kernel reap the child: the filter may forbid waiting.
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGCHLD, &ignore, &before);
    const long pid = start(report, trial, true);
    const bool answer = pid < 0 || report.lived;  // if fork fails, the program will see it, too
    if (pid > 0) {
        const long other = report.waits ? -1 : start(report, nullptr, false);
        until_gone(pid, report);
        if (other > 0) until_gone(other, report);
    }
    ::sigaction(SIGCHLD, &before, nullptr);
    ::munmap(page, sizeof(Report));
    return answer;
}

void need(bool answered) {
    if (!answered) ::_exit(1);
}

void try_process_calls() {
    const pid_t self = ::getpid();
    const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, self, 0));
    ::syscall(SYS_pidfd_send_signal, handle, 0, nullptr, 0);
    ::close(handle);
    need(::kill(self, 0) == 0);
    ::raise(0);
    ::sigqueue(self, 0, sigval{});
    siginfo_t info{};
    info.si_code = SI_QUEUE;
    ::syscall(SYS_rt_tgsigqueueinfo, self, ::syscall(SYS_gettid), 0, &info);
    need(waits_for_nobody(::waitid(P_PID, static_cast<id_t>(self), &info, WEXITED | WNOHANG)));
    need(waits_for_nobody(::waitpid(self, nullptr, WNOHANG)));
    ::syscall(SYS_clone3, nullptr, 0);
    // Returning from a handler is a system call, too.
    sigset_t none;
    sigemptyset(&none);
    need(::sigprocmask(SIG_SETMASK, &none, nullptr) == 0);
    std::signal(SIGURG, [](int) {});
    ::raise(SIGURG);
}

}  // namespace holdfast
