// Prints what a process inherits, in a form that is the same in every run of the same program.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void environment(void) {
    size_t n = 0;
    while (environ[n]) n++;
    char **copy = malloc((n + 1) * sizeof *copy);
    memcpy(copy, environ, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_text);
    for (size_t i = 0; i < n; i++)
        if (strncmp(copy[i], "TR_STAGE=", 9) && strncmp(copy[i], "_=", 2)) printf("environment %s\n", copy[i]);
}

static void descriptors(void) {
    for (int fd = 0; fd < 4096; fd++) {
        struct stat at;
        if (fstat(fd, &at) != 0) continue;
        int flags = fcntl(fd, F_GETFL), close = fcntl(fd, F_GETFD);
        const char *kind = S_ISFIFO(at.st_mode)   ? "pipe"
                           : S_ISSOCK(at.st_mode) ? "socket"
                           : S_ISCHR(at.st_mode)  ? "device"
                           : S_ISREG(at.st_mode)  ? "file"
                           : S_ISDIR(at.st_mode)  ? "folder"
                                                  : "else";
        printf("descriptor %d %s access %d append %d nonblock %d cloexec %d tty %d\n", fd, kind,
               flags & O_ACCMODE, !!(flags & O_APPEND), !!(flags & O_NONBLOCK),
               !!(close & FD_CLOEXEC), isatty(fd));
    }
    struct stat one, two;
    if (!fstat(1, &one) && !fstat(2, &two))
        printf("stdout and stderr are one file: %d\n",
               one.st_dev == two.st_dev && one.st_ino == two.st_ino);
    int size = fcntl(2, F_GETPIPE_SZ);
    printf("stderr holds %d\n", size);
}

static void limits(void) {
    for (int what = 0; what < 16; what++) {
        struct rlimit at;
        if (getrlimit(what, &at) == 0)
            printf("limit %d %lld %lld\n", what, (long long)at.rlim_cur, (long long)at.rlim_max);
    }
}

static void copy_lines(const char *path, const char *const *wanted) {
    FILE *file = fopen(path, "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file))
        for (const char *const *name = wanted; *name; name++)
            if (!strncmp(line, *name, strlen(*name))) printf("%s %s", path, line);
    if (file) fclose(file);
}

static void signals(void) {
    for (int number = 1; number <= 64; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) != 0) continue;
        if (now.sa_handler != SIG_DFL || now.sa_flags)
            printf("signal %d: %s, flags %x\n", number,
                   now.sa_handler == SIG_IGN   ? "ignored"
                   : now.sa_handler == SIG_DFL ? "default"
                                               : "a handler",
                   (unsigned)now.sa_flags & ~0x04000000U);
    }
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number <= 64; number++)
        if (sigismember(&mask, number) == 1) printf("signal %d is blocked\n", number);
    sigpending(&mask);
    for (int number = 1; number <= 64; number++)
        if (sigismember(&mask, number) == 1) printf("signal %d is pending\n", number);
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("signal stack: flags %d, size %zu\n", stack.ss_flags, stack.ss_size);
    for (int which = 0; which < 3; which++) {
        struct itimerval timer;
        getitimer(which, &timer);
        printf("timer %d: %s\n", which,
               timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "off");
    }
}

static void files(const char *const *paths) {
    for (; *paths; paths++) {
        int fd = open(*paths, O_RDONLY | O_CLOEXEC);
        char text[4096];
        ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0) close(fd);
        text[got < 0 ? 0 : got] = 0;
        for (char *at = text; *at; at++)
            if (*at == '\n') *at = '|';
        printf("%s: %s\n", *paths, text);
    }
}

static void links(const char *const *paths) {
    for (; *paths; paths++) {
        char text[4096];
        ssize_t got = readlink(*paths, text, sizeof text - 1);
        text[got < 0 ? 0 : got] = 0;
        printf("%s -> %s\n", *paths, text);
    }
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOFBF, 1 << 20);
    for (int i = 1; i < count; i++) printf("argument %d: %s\n", i, words[i]);
    environment();
    descriptors();
    limits();
    signals();
    files((const char *const[]){"/proc/self/cgroup", "/proc/self/oom_score_adj", "/proc/self/comm",
                                "/proc/self/personality", "/proc/self/timerslack_ns",
                                "/proc/self/coredump_filter", "/proc/self/loginuid",
                                "/proc/self/attr/current",
                                "/proc/self/uid_map", NULL});
    links((const char *const[]){"/proc/self/cwd", "/proc/self/root", "/proc/self/exe",
                                "/proc/self/ns/pid", "/proc/self/ns/mnt", "/proc/self/ns/net",
                                "/proc/self/ns/user", "/proc/self/ns/uts", "/proc/self/ns/ipc",
                                "/proc/self/ns/cgroup", "/proc/self/ns/time", NULL});
    copy_lines("/proc/self/status",
               (const char *const[]){"Umask", "Groups", "Uid", "Gid", "SigPnd", "ShdPnd",
                                     "SigBlk", "SigIgn", "SigCgt", "Cap", "NoNewPrivs", "Seccomp",
                                     "Threads", "THP", "Cpus_allowed_list", "Mems_allowed_list",
                                     "TracerPid", "Spec", NULL});
    int value = -1;
    prctl(PR_GET_PDEATHSIG, &value);
    printf("parent's death signal %d\n", value);
    prctl(PR_GET_CHILD_SUBREAPER, &value);
    printf("subreaper %d, dumpable %d, keeps capabilities %d, secure bits %d, tsc %d\n", value,
           prctl(PR_GET_DUMPABLE), prctl(PR_GET_KEEPCAPS), prctl(PR_GET_SECUREBITS), 0);
    printf("timer slack %d, thp off %d, io flusher %d\n", prctl(PR_GET_TIMERSLACK),
           prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 0);
    printf("personality %lx\n", (unsigned long)personality(0xffffffff));
    printf("nice %d, policy %d, io priority %ld\n", getpriority(PRIO_PROCESS, 0),
           sched_getscheduler(0), syscall(SYS_ioprio_get, 1, 0));
    mode_t mask = umask(0);
    umask(mask);
    printf("umask %o\n", (unsigned)mask);
    printf("group is the session's: %d, leads the session's terminal: %d\n",
           getpgrp() == getsid(0), tcgetpgrp(0) == getpgrp());
    int waited = waitpid(-1, NULL, WNOHANG | __WALL);
    printf("children: %s\n", waited < 0 && errno == ECHILD ? "none" : "some");
    struct termios terminal;
    struct winsize size;
    for (int fd = 0; fd < 3; fd++) {
        if (tcgetattr(fd, &terminal) != 0) continue;
        printf("terminal %d: %x %x %x %x", fd, terminal.c_iflag, terminal.c_oflag,
               terminal.c_cflag, terminal.c_lflag);
        for (int i = 0; i < NCCS; i++) printf(" %d", terminal.c_cc[i]);
        ioctl(fd, TIOCGWINSZ, &size);
        printf(", %d x %d\n", size.ws_row, size.ws_col);
    }
    fflush(stdout);
    return 0;
}
