#include "supervise/stderr_capture.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <memory>

#include "base/text.h"

namespace holdfast {

StreamFacts StreamFacts::of(int fd) {
    StreamFacts facts;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return facts;
    // It is our own placeholder for a closed stream: the program will find the stream closed.
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) return facts;
    facts.open = true;
    facts.terminal = ::isatty(fd) == 1;
    facts.regular_file = S_ISREG(info.st_mode);
    const int mode = ::fcntl(fd, F_GETFL);
    pollfd look{fd, 0, 0};
    const bool reader_gone = ::poll(&look, 1, 0) == 1 && (look.revents & POLLERR) != 0;
    facts.blocking_pipe = !reader_gone && S_ISFIFO(info.st_mode) && mode >= 0 &&
                          (mode & (O_ACCMODE | O_NONBLOCK | O_DIRECT)) == O_WRONLY;
    return facts;
}

StderrCapture plan_capture(const StreamFacts& err) {
    if (!err.open) return StderrCapture::none;
    if (err.terminal) return StderrCapture::terminal;
    if (err.regular_file) return StderrCapture::read_file;
    // Everything else behaves differently from a pipe: /dev/null never fills up, /dev/full takes
    // nothing, a socket knows send(), a packet pipe keeps writes separate, a non-blocking pipe
    // returns EAGAIN, and what is open for both can be read from.
    return err.blocking_pipe ? StderrCapture::relay : StderrCapture::none;
}

std::vector<int> writers_of_same_pipe(int fd) {
    std::vector<int> same{fd};
    struct stat pipe {};
    if (::fstat(fd, &pipe) != 0) return same;
    // Not std::filesystem: its iterator ends the process when memory is out.
    const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir("/proc/self/fd"), ::closedir);
    if (!all) return same;
    while (const dirent* entry = ::readdir(all.get())) {
        const auto other = parse_number<int>(entry->d_name);
        if (!other || *other == fd) continue;
        const int kept = ::fcntl(*other, F_GETFD);
        const int mode = ::fcntl(*other, F_GETFL);
        struct stat info {};
        if (kept < 0 || (kept & FD_CLOEXEC) != 0 || mode < 0 || (mode & O_ACCMODE) == O_RDONLY ||
            ::fstat(*other, &info) != 0)
            continue;
        if (info.st_dev == pipe.st_dev && info.st_ino == pipe.st_ino) same.push_back(*other);
    }
    return same;
}

FilePlace FilePlace::of(int fd) {
    FilePlace place;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return place;
    place.device = info.st_dev;
    place.inode = info.st_ino;
    // With O_APPEND the offset may still be 0 while the file has older text.
    const int flags = ::fcntl(fd, F_GETFL);
    const off_t at = ::lseek(fd, 0, SEEK_CUR);
    const bool appends = flags >= 0 && (flags & O_APPEND) != 0;
    place.from_offset = static_cast<std::uint64_t>(appends || at < 0 ? info.st_size : at);
    char target[PATH_MAX];
    const ssize_t length =
        ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
    if (length > 0) place.path.assign(target, static_cast<std::size_t>(length));
    return place;
}

void occupy_closed_streams() {
    for (int fd = 0; fd <= 2; ++fd) {
        // Not fcntl(): at this point nobody has checked yet whether a seccomp filter kills for it.
        struct stat status {};
        if (::fstat(fd, &status) == 0 || errno != EBADF) continue;
        // open() takes the lowest free number, which is `fd`: those below are in use.
        if (::open("/dev/null", O_RDWR | O_CLOEXEC) != fd) return;
    }
}

}  // namespace holdfast
