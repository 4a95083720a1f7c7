// system() and popen() start a shell by ways inside libc that our exec does not see.
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/base/spin_lock.h"
#include "agent/process/environment.h"

namespace holdfast::agent {
namespace {

constinit Real<decltype(&::system)> real_system{"system"};
constinit Real<decltype(&::popen)> real_popen{"popen"};

// While any thread waits in system(), the terminal's keys are for the shell, not for us.
constinit SpinLock keys_lock{};
int waiting = 0;
struct sigaction interrupt_before, quit_before;

void leave_keys_to_shell() {
    keys_lock.lock();
    if (waiting++ == 0) {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &interrupt_before);
        ::sigaction(SIGQUIT, &ignore, &quit_before);
    }
    keys_lock.unlock();
}

void take_keys_back() {
    keys_lock.lock();
    if (--waiting == 0) {
        ::sigaction(SIGINT, &interrupt_before, nullptr);
        ::sigaction(SIGQUIT, &quit_before, nullptr);
    }
    keys_lock.unlock();
}

constinit SpinLock popen_lock{};

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

// As POSIX describes it, by posix_spawn (which is in front of libc's and puts our entries back).
HOLDFAST_EXPORT int system(const char* command) {
    if (command == nullptr || supervised_run().empty()) return real_system()(command);
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &child, &before);
    leave_keys_to_shell();

    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    if (interrupt_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
    if (quit_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
    ::posix_spawnattr_setsigmask(&attributes, &before);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    char shell[] = "sh", flag[] = "-c", end[] = "--";
    char* words[] = {shell, flag, end, const_cast<char*>(command), nullptr};
    pid_t pid = -1;
    int status = -1;
    const int failed = ::posix_spawn(&pid, "/bin/sh", nullptr, &attributes, words, environ);
    ::posix_spawnattr_destroy(&attributes);
    if (failed == 0) {
        while (::waitpid(pid, &status, 0) < 0)
            if (errno != EINTR) {
                status = -1;
                break;
            }
    } else {
        status = W_EXITCODE(127, 0);
    }
    const int error = failed != 0 ? failed : errno;
    take_keys_back();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return status;
}

// Libc keeps its own list of children for pclose, so the call itself stays libc's: our entries are
// in the environment for the moment it takes.
HOLDFAST_EXPORT FILE* popen(const char* command, const char* mode) {
    const Text run = supervised_run();
    if (run.empty()) return real_popen()(command, mode);
    popen_lock.lock();
    const char* theirs = ::getenv("LD_PRELOAD");
    const Text kept = Text::of(theirs);
    char preload[8192];
    char before[4096];
    const bool fits = kept.size < sizeof before;
    if (fits) {
        copy_text(before, kept);
        preload_for_child(Text::of(before), preload, sizeof preload);
        ::setenv("LD_PRELOAD", preload + sizeof "LD_PRELOAD=" - 1, 1);
        ::setenv(run_variable, run.data, 1);
    }
    FILE* stream = real_popen()(command, mode);
    const int error = errno;
    if (fits) {
        if (theirs != nullptr)
            ::setenv("LD_PRELOAD", before, 1);
        else
            ::unsetenv("LD_PRELOAD");
        ::unsetenv(run_variable);
    }
    popen_lock.unlock();
    errno = error;
    return stream;
}
