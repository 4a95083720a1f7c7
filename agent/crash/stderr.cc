// The pipe's contents are duplicated with tee(2), so that its reader misses nothing.
#include "agent/crash/stderr.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <atomic>

#include "agent/crash/proc.h"

namespace holdfast::agent {
namespace {

constexpr int most_descriptors = 4096;

// The read end of the pipe behind `written`, held by this process; -1 when it is somebody else's.
int own_read_end(const struct stat& written) {
    int found = -1;
    int seen = 0;
    each_number_in("/proc/self/fd", [&](int fd) {
        struct stat other {};
        if (++seen > most_descriptors) return false;
        if (::fstat(fd, &other) != 0 || other.st_ino != written.st_ino ||
            other.st_dev != written.st_dev)
            return true;
        if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) return true;
        found = fd;
        return false;
    });
    return found;
}

}  // namespace

void save_unread_stderr(format::Crash& crash) {
    struct stat written {};
    if (::fstat(STDERR_FILENO, &written) != 0 || !S_ISFIFO(written.st_mode)) return;
    const int from = own_read_end(written);
    int waiting = 0;
    if (from < 0 || ::ioctl(from, FIONREAD, &waiting) != 0 || waiting <= 0) return;
    int copy[2];
    if (::syscall(SYS_pipe2, copy, O_CLOEXEC | O_NONBLOCK) != 0) return;
    constexpr unsigned no_wait = 2;  // SPLICE_F_NONBLOCK
    ::syscall(SYS_tee, from, copy[1], std::size_t{1} << 20U, no_wait);
    // The newest text is at the end; what does not fit is the oldest.
    constexpr std::size_t room = sizeof crash.unread;
    std::size_t size = 0;
    while (true) {
        if (size == room) {
            std::memmove(crash.unread, crash.unread + room / 2, room / 2);
            size = room / 2;
        }
        const long got = ::syscall(SYS_read, copy[0], crash.unread + size, room - size);
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    ::syscall(SYS_close, copy[0]);
    ::syscall(SYS_close, copy[1]);
    std::atomic_ref(crash.unread_size)
        .store(static_cast<std::uint32_t>(size), std::memory_order_release);
}

}  // namespace holdfast::agent
