// System calls without libc's wrappers. A thread can be cancelled in those wrappers, but the agent
// runs where a program expects no such point (in malloc, in posix_spawn), perhaps with a lock held.
// Other libraries may also wrap them.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

inline int raw_openat(int folder, const char* path, int flags) {
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags));
}
inline int raw_open(const char* path, int flags) { return raw_openat(AT_FDCWD, path, flags); }
inline ssize_t raw_read(int fd, void* out, std::size_t size) {
    return ::syscall(SYS_read, fd, out, size);
}
inline ssize_t raw_pread(int fd, void* out, std::size_t size, std::uint64_t offset) {
    return ::syscall(SYS_pread64, fd, out, size, offset);
}
inline void raw_close(int fd) { ::syscall(SYS_close, fd); }
inline void raw_sleep(const timespec& time) { ::syscall(SYS_nanosleep, &time, nullptr); }

}  // namespace holdfast::agent
