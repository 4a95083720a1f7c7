#include "supervise/rehearsal.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/exec_target.h"
#include "base/trial.h"

namespace holdfast {
namespace {

// The calls of the supervisor, its helpers and the agent, except those that any program needs to be
// loaded. tests/test_filters.py forbids each of them in turn.
constexpr std::array calls{
    SYS_chdir,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close_range,
    SYS_dup3,
    SYS_epoll_create1,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_execve,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_fallocate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fcntl,
    SYS_flock,
    SYS_fstat,
    SYS_fstatfs,
    SYS_ftruncate,
    SYS_futex,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getitimer,
    SYS_getpgid,
    SYS_getppid,
    SYS_getrandom,
    SYS_gettid,
    SYS_getuid,
    SYS_getxattr,
    SYS_inotify_add_watch,
    SYS_inotify_init1,
    SYS_ioctl,
    SYS_linkat,
    SYS_lseek,
    SYS_madvise,
    SYS_memfd_create,
    SYS_mkdirat,
    SYS_newfstatat,
    SYS_ppoll,
    SYS_pread64,
    SYS_prlimit64,
    SYS_process_vm_readv,
    SYS_pwrite64,
    SYS_pwritev2,
    SYS_readlinkat,
    SYS_recvfrom,
    SYS_renameat,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_sched_getaffinity,
    SYS_sendfile,
    SYS_sendto,
    SYS_setitimer,
    SYS_setsid,
    SYS_sigaltstack,
    SYS_signalfd4,
    SYS_statfs,
    SYS_symlinkat,
    SYS_sysinfo,
    SYS_truncate,
    SYS_uname,
    SYS_unlinkat,
    SYS_utimensat,
    SYS_writev,
};

// Calls that the C library makes instead, on machines that have them.
constexpr std::array older_calls{
#ifdef SYS_access
    SYS_access,   SYS_dup2,   SYS_getpgrp, SYS_link,    SYS_mkdir, SYS_poll,
    SYS_readlink, SYS_rename, SYS_rmdir,   SYS_symlink, SYS_time,
#else
    SYS_getpid,
#endif
};

// Calls without a substitute.
constexpr std::array needed_calls{
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#else
    SYS_epoll_pwait,
#endif
    SYS_epoll_ctl,
    SYS_splice,
    SYS_tee,
};

constexpr std::array agents_calls{SYS_mincore, SYS_mremap, SYS_process_vm_writev, SYS_sched_yield};

long try_call(long number) {
    constexpr long bad = -1;  // an invalid descriptor, address and flags
    return ::syscall(number, bad, bad, bad, bad, bad, bad);
}

// A filter's answer; for such arguments the kernel's own answer is another one.
bool refused(long answer) {
    return answer < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

void try_everything() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const long number : calls) try_call(number);
    for (const long number : older_calls) try_call(number);
    for (const long number : needed_calls) need(!refused(try_call(number)));
    // A filter may allow these for some arguments only.
    std::array<int, 2> pair{};
    if (::pipe2(pair.data(), O_CLOEXEC) == 0)
        for (const int end : pair) ::close(end);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) == 0)
        for (const int end : pair) ::close(end);
    try_process_calls();
}

void try_as_agent() {
    for (const long number : agents_calls) try_call(number);
}

}  // namespace

bool filters_allow_watching() { return seccomp_filters() <= 0 || survives(try_everything); }

bool filters_allow_agent() { return seccomp_filters() <= 0 || survives(try_as_agent); }

}  // namespace holdfast
