/* Preloaded into `holdfast run`: makes the n-th call of one kind fail, only in the supervisor.
 *
 * FAIL_CALL=KIND:N:ERRNO[:on]   on: every later one fails, too
 * FAIL_MARK=FILE                created when the first call failed
 *
 * KIND `crash` makes no call fail: at the n-th epoll_wait the supervisor runs into a fault. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char kind[32];
static long wanted, seen;
static int error, lasts;
static pid_t supervisor; /* 0: not in this process */
static char mark[512];

__attribute__((constructor)) static void begin(void) {
    char path[512];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    const char* asked = getenv("FAIL_CALL");
    const char* file = getenv("FAIL_MARK");
    if (size <= 0 || asked == NULL || file == NULL) return;
    path[size] = 0;
    const char* name = strrchr(path, '/');
    if (name == NULL || strcmp(name, "/holdfast") != 0) return;
    char on[8] = "";
    if (sscanf(asked, "%31[^:]:%ld:%d:%7s", kind, &wanted, &error, on) < 3) return;
    lasts = strcmp(on, "on") == 0;
    snprintf(mark, sizeof mark, "%s", file);
    supervisor = getpid();
}

static int fails(const char* what) {
    if (supervisor == 0 || strcmp(what, kind) != 0 || (pid_t)syscall(SYS_getpid) != supervisor)
        return 0;
    ++seen;
    if (seen != wanted && !(lasts && seen > wanted)) return 0;
    const long fd = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) syscall(SYS_close, fd);
    errno = error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }

pid_t fork(void) { return fails("fork") ? -1 : REAL(fork)(); }
int pipe2(int ends[2], int flags) { return fails("pipe2") ? -1 : REAL(pipe2)(ends, flags); }
int socketpair(int domain, int type, int protocol, int ends[2]) {
    return fails("socketpair") ? -1 : REAL(socketpair)(domain, type, protocol, ends);
}
int epoll_create1(int flags) { return fails("epoll") ? -1 : REAL(epoll_create1)(flags); }
int memfd_create(const char* name, unsigned flags) {
    return fails("memfd") ? -1 : REAL(memfd_create)(name, flags);
}
int signalfd(int fd, const sigset_t* mask, int flags) {
    return fails("signalfd") ? -1 : REAL(signalfd)(fd, mask, flags);
}
int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
    if (fails("crash")) *(volatile int*)0 = 1;
    return REAL(epoll_wait)(epoll, events, most, timeout);
}
int posix_fallocate(int fd, off_t offset, off_t size) {
    return fails("fallocate") ? error : REAL(posix_fallocate)(fd, offset, size);
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    return fails("fallocate") ? error : REAL(posix_fallocate64)(fd, offset, size);
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
    return fails("mmap") ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) {
    return fails("mmap") ? MAP_FAILED : REAL(mmap64)(at, size, protection, flags, fd, offset);
}

static mode_t mode_of(int flags, va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}
#define OPEN(name)                                                   \
    int name(const char* path, int flags, ...) {                     \
        va_list rest;                                                \
        va_start(rest, flags);                                       \
        const mode_t mode = mode_of(flags, rest);                    \
        va_end(rest);                                                \
        return fails("open") ? -1 : REAL(name)(path, flags, mode);   \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                        \
    int name(int folder, const char* path, int flags, ...) {                \
        va_list rest;                                                       \
        va_start(rest, flags);                                              \
        const mode_t mode = mode_of(flags, rest);                           \
        va_end(rest);                                                       \
        return fails("open") ? -1 : REAL(name)(folder, path, flags, mode);  \
    }
OPENAT(openat)
OPENAT(openat64)

void* malloc(size_t size) {
    static __typeof__(&malloc) next;
    if (next == NULL) next = REAL(malloc);
    return supervisor != 0 && fails("malloc") ? NULL : next(size);
}
