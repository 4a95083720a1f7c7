// This process's own memory, read through the kernel: a bad address gives an error, not a signal.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Hooks run between a program's call and its look at errno.
class KeepErrno {
public:
    KeepErrno() : kept_(errno) {}
    ~KeepErrno() { errno = kept_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

private:
    int kept_;
};

// Async-signal-safe. Some containers forbid process_vm_readv; /proc/self/mem then serves.
class SelfMemory {
public:
    SelfMemory() : pid_(::getpid()) {}
    SelfMemory(const SelfMemory&) = delete;
    SelfMemory& operator=(const SelfMemory&) = delete;
    ~SelfMemory() {
        if (file_ >= 0) ::syscall(SYS_close, file_);
    }

    bool read(std::uintptr_t at, void* into, std::size_t size) {
        if (file_ < 0 && !refused_) {
            iovec here{into, size}, there{reinterpret_cast<void*>(at), size};
            const long got = ::syscall(SYS_process_vm_readv, pid_, &here, 1L, &there, 1L, 0L);
            if (got >= 0 || (errno != EPERM && errno != ENOSYS))
                return got == static_cast<long>(size);
            file_ = static_cast<int>(
                ::syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC));
            refused_ = file_ < 0;
        }
        return file_ >= 0 && ::syscall(SYS_pread64, file_, into, size, static_cast<long>(at)) ==
                                 static_cast<long>(size);
    }
    bool refused() const { return refused_; }

private:
    int pid_;
    int file_ = -1;
    bool refused_ = false;
};

}  // namespace holdfast::agent
