#include "supervise/capture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <climits>

namespace holdfast {

StreamFacts StreamFacts::of(int fd) {
    StreamFacts facts;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return facts;
    // Our own placeholder over a closed stream: the program will find it closed.
    const int flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) return facts;
    facts.open = true;
    facts.terminal = ::isatty(fd) == 1;
    facts.regular_file = S_ISREG(info.st_mode);
    facts.discards = S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
    facts.device = info.st_dev;
    facts.inode = info.st_ino;
    return facts;
}

Capture plan_capture(const StreamFacts& out, const StreamFacts& err) {
    if (!err.open) return Capture::none;
    if (err.terminal) return Capture::terminal;
    if (err.regular_file) return Capture::read_file;
    // Thrown away on purpose. A pipe in its place would be read along, but it is not /dev/null to a
    // program that looks, and it can fill up.
    if (err.discards) return Capture::none;
    return out.same_object(err) ? Capture::relay_both : Capture::relay_stderr;
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
        if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is `fd`, since those below are taken by now.
        if (::open("/dev/null", O_RDWR | O_CLOEXEC) != fd) return;
    }
}

}  // namespace holdfast
