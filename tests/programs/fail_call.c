/* Preloaded into `holdfast run`: makes the n-th call of one kind fail, in one of its processes.
 *
 * FAIL_CALL=KIND:N:ERRNO[:on]   on: every later one fails, too
 * FAIL_IN=K                     0 (or unset): the supervisor; K: the K-th process that it makes
 * FAIL_MARK=FILE                created when the first call failed
 * FAIL_NAMES=FILE               gets a line "K NAME" from each process that takes a name
 * FAIL_ALSO=KIND                every such call of the supervisor fails, too, with ENOSPC
 * FAIL_FROM=signal              counts only from the first signal on that the supervisor passes on
 * FAIL_GPU=1                    the machine seems to have an NVIDIA driver
 *
 * KIND `memory` counts the places that ask for memory, each by the calls that led there: the n-th
 * place fails when it asks for the first time.
 *
 * KIND `crash` makes no call fail: at the n-th epoll_wait the process runs into a fault. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char kind[32], also[32];
static long wanted, seen;
static int error, lasts;
static long process;   /* which one is to fail */
static long self = -1; /* which one we are; -1: none of Holdfast's, or a child of a helper */
static long made;      /* by the supervisor */
static char mark[512], names[512];
static int counting = 1;
static int inbox = -1; /* the supervisor's signalfd */

__attribute__((constructor)) static void begin(void) {
    char path[512];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    const char* asked = getenv("FAIL_CALL");
    const char* file = getenv("FAIL_MARK");
    const char* in = getenv("FAIL_IN");
    const char* list = getenv("FAIL_NAMES");
    if (size <= 0 || asked == NULL || file == NULL) return;
    path[size] = 0;
    const char* name = strrchr(path, '/');
    if (name == NULL || strcmp(name, "/holdfast") != 0) return;
    char on[8] = "";
    if (sscanf(asked, "%31[^:]:%ld:%d:%7s", kind, &wanted, &error, on) < 3) return;
    lasts = strcmp(on, "on") == 0;
    snprintf(mark, sizeof mark, "%s", file);
    snprintf(names, sizeof names, "%s", list != NULL ? list : "");
    process = in != NULL ? atol(in) : 0;
    counting = getenv("FAIL_FROM") == NULL;
    if (getenv("FAIL_ALSO") != NULL) snprintf(also, sizeof also, "%s", getenv("FAIL_ALSO"));
    self = 0;
}

/* The real system call: syscall() itself is one that may fail. */
static long really(long number, long a, long b, long c, long d, long e, long f) {
    static long (*next)(long, ...);
    if (next == NULL) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}

static void append(const char* file, const char* text, size_t size) {
    const long fd = really(SYS_openat, AT_FDCWD, (long)file,
                           O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600, 0, 0);
    if (fd < 0) return;
    if (size > 0) really(SYS_write, fd, (long)text, (long)size, 0, 0, 0);
    really(SYS_close, fd, 0, 0, 0, 0, 0);
}

static int fails(const char* what) {
    if (self == 0 && also[0] != 0 && strcmp(what, also) == 0) {
        errno = ENOSPC;
        return 1;
    }
    if (!counting || self < 0 || self != process || strcmp(what, kind) != 0) return 0;
    ++seen;
    if (seen != wanted && !(lasts && seen > wanted)) return 0;
    append(mark, NULL, 0);
    errno = error;
    return 1;
}

/* Whether memory was never asked for from here, by the addresses of our code on the stack. */
static int is_new_place(void) {
    enum { most_places = 1 << 16, words = 96 };
    static unsigned long known[most_places], code;
    static long process_of_known = -1;
    if (code == 0) code = getauxval(AT_PHDR) & ~0xfffUL;
    if (process_of_known != self) memset(known, 0, sizeof known);
    process_of_known = self;
    const unsigned long* stack = __builtin_frame_address(0);
    unsigned long place = 1469598103934665603UL;
    for (int i = 0; i < words; ++i)
        if (stack[i] - code < 64UL << 20) place = (place ^ (stack[i] - code)) * 1099511628211UL;
    for (unsigned long at = place % most_places;; at = (at + 1) % most_places) {
        if (known[at] == place) return 0;
        if (known[at] != 0) continue;
        known[at] = place;
        return 1;
    }
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

/* In the child: its calls are counted anew. */
static void born(void) {
    self = self == 0 ? made : -1;
    seen = 0;
}

pid_t fork(void) {
    if (fails("fork")) return -1;
    if (self == 0) ++made;
    const pid_t pid = REAL(fork)();
    if (pid == 0) born();
    return pid;
}

long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long with[6];
    for (int i = 0; i < 6; ++i) with[i] = va_arg(rest, long);
    va_end(rest);
    const char* what = number == SYS_memfd_create  ? "memfd"
                       : number == SYS_clone       ? "clone"
                       : number == SYS_pidfd_open  ? "pidfd"
                       : number == SYS_openat2     ? "open"
                       : number == SYS_close_range ? "close_range"
                                                   : NULL;
    if (what != NULL && fails(what)) return -1;
    if (number == SYS_clone && self == 0) ++made;
    const long answer = really(number, with[0], with[1], with[2], with[3], with[4], with[5]);
    if (number == SYS_clone && answer == 0) born();
    return answer;
}

int prctl(int option, ...) {
    va_list rest;
    va_start(rest, option);
    unsigned long with[4];
    for (int i = 0; i < 4; ++i) with[i] = va_arg(rest, unsigned long);
    va_end(rest);
    if (option == PR_SET_NAME && self > 0 && names[0] != 0) {
        char line[64];
        append(names, line,
               (size_t)snprintf(line, sizeof line, "%ld %s\n", self, (const char*)with[0]));
    }
    return REAL(prctl)(option, with[0], with[1], with[2], with[3]);
}

int access(const char* path, int mode) {
    if (getenv("FAIL_GPU") != NULL && strcmp(path, "/dev/nvidiactl") == 0) return 0;
    return REAL(access)(path, mode);
}

int pipe2(int ends[2], int flags) { return fails("pipe2") ? -1 : REAL(pipe2)(ends, flags); }
int socketpair(int domain, int type, int protocol, int ends[2]) {
    return fails("socketpair") ? -1 : REAL(socketpair)(domain, type, protocol, ends);
}
int epoll_create1(int flags) { return fails("epoll") ? -1 : REAL(epoll_create1)(flags); }
int epoll_ctl(int epoll, int what, int fd, struct epoll_event* event) {
    return fails("epoll_ctl") ? -1 : REAL(epoll_ctl)(epoll, what, fd, event);
}
int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
    if (fails("crash")) *(volatile int*)0 = 1;
    return REAL(epoll_wait)(epoll, events, most, timeout);
}
int eventfd(unsigned count, int flags) {
    return fails("eventfd") ? -1 : REAL(eventfd)(count, flags);
}
int inotify_init1(int flags) { return fails("inotify") ? -1 : REAL(inotify_init1)(flags); }
int inotify_add_watch(int fd, const char* path, uint32_t events) {
    return fails("inotify") ? -1 : REAL(inotify_add_watch)(fd, path, events);
}
int signalfd(int fd, const sigset_t* mask, int flags) {
    if (fails("signalfd")) return -1;
    const int made_fd = REAL(signalfd)(fd, mask, flags);
    if (self == 0) inbox = made_fd;
    return made_fd;
}
ssize_t read(int fd, void* into, size_t size) {
    const ssize_t got = REAL(read)(fd, into, size);
    if (self == 0 && fd >= 0 && fd == inbox && got >= (ssize_t)sizeof(struct signalfd_siginfo) &&
        ((const struct signalfd_siginfo*)into)->ssi_signo != SIGCHLD)
        counting = 1;
    return got;
}
DIR* opendir(const char* path) { return fails("opendir") ? NULL : REAL(opendir)(path); }
DIR* fdopendir(int fd) { return fails("opendir") ? NULL : REAL(fdopendir)(fd); }
ssize_t splice(int in, off64_t* in_at, int out, off64_t* out_at, size_t size, unsigned flags) {
    return fails("splice") ? -1 : REAL(splice)(in, in_at, out, out_at, size, flags);
}
ssize_t tee(int in, int out, size_t size, unsigned flags) {
    return fails("tee") ? -1 : REAL(tee)(in, out, size, flags);
}
int posix_fallocate(int fd, off_t offset, off_t size) {
    return fails("fallocate") ? errno : REAL(posix_fallocate)(fd, offset, size);
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    return fails("fallocate") ? errno : REAL(posix_fallocate64)(fd, offset, size);
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    return fails("mmap") ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) {
    return fails("mmap") ? MAP_FAILED : REAL(mmap64)(at, size, protection, flags, fd, offset);
}

#define FCNTL(name)                                                       \
    int name(int fd, int what, ...) {                                     \
        va_list rest;                                                     \
        va_start(rest, what);                                             \
        void* with = va_arg(rest, void*);                                 \
        va_end(rest);                                                     \
        const int doubles = what == F_DUPFD || what == F_DUPFD_CLOEXEC;   \
        return doubles && fails("dup") ? -1 : REAL(name)(fd, what, with); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

static mode_t mode_of(int flags, va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}
#define OPEN(name)                                                 \
    int name(const char* path, int flags, ...) {                   \
        va_list rest;                                              \
        va_start(rest, flags);                                     \
        const mode_t mode = mode_of(flags, rest);                  \
        va_end(rest);                                              \
        return fails("open") ? -1 : REAL(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                       \
    int name(int folder, const char* path, int flags, ...) {               \
        va_list rest;                                                      \
        va_start(rest, flags);                                             \
        const mode_t mode = mode_of(flags, rest);                          \
        va_end(rest);                                                      \
        return fails("open") ? -1 : REAL(name)(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

static int fails_memory(void) {
    if (self < 0 || self != process || strcmp(kind, "memory") != 0 || !counting) return 0;
    if (!is_new_place() && !(lasts && seen >= wanted)) return 0;
    return fails("memory");
}

#define MEMORY(name, parameters, arguments)            \
    void* name parameters {                            \
        static __typeof__(&name) next;                 \
        if (next == NULL) next = REAL(name);           \
        return fails_memory() ? NULL : next arguments; \
    }
MEMORY(malloc, (size_t size), (size))
MEMORY(calloc, (size_t count, size_t size), (count, size))
MEMORY(realloc, (void* before, size_t size), (before, size))
