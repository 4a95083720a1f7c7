#include "sources/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::sources {

bool ProcessMemory::read(std::uintptr_t at, void* into, std::size_t size) {
    if (reads_left_ == 0) {
        error_ = EMFILE;
        return false;
    }
    --reads_left_;
    if (file_) return read_file(at, into, size);
    const iovec here{into, size}, there{reinterpret_cast<void*>(at), size};
    const ssize_t got = ::process_vm_readv(pid_, &here, 1, &there, 1, 0);
    if (got == static_cast<ssize_t>(size)) return true;
    error_ = got < 0 ? errno : EFAULT;
    // A container may forbid the call but allow the file; both need the same rights.
    if (error_ != EPERM && error_ != ENOSYS) return false;
    file_.reset(::openat(process_dir_, "mem", O_RDONLY | O_CLOEXEC));
    return file_ && read_file(at, into, size);
}

bool ProcessMemory::read_file(std::uintptr_t at, void* into, std::size_t size) {
    const ssize_t got = ::pread(file_.get(), into, size, static_cast<off_t>(at));
    if (got == static_cast<ssize_t>(size)) return true;
    error_ = got < 0 ? errno : EFAULT;
    return false;
}

}  // namespace holdfast::sources
