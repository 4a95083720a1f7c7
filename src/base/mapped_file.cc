#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/young_calls.h"

namespace holdfast {

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    if (this != &other) {
        if (data_ != nullptr) ::munmap(data_, size_);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        fd_ = std::move(other.fd_);
    }
    return *this;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

Result<MappedFile> MappedFile::create(int directory, const std::string& name, std::size_t size) {
    UniqueFd fd(::openat(directory, name.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return Error::from_errno("cannot create " + name);
    // posix_fallocate returns the error and leaves errno alone.
    if (const int failed = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(size)); failed != 0) {
        ::unlinkat(directory, name.c_str(), 0);
        return Error{"cannot reserve space for " + name + ": " + std::strerror(failed), failed};
    }
    return map(std::move(fd), size);
}

Result<MappedFile> MappedFile::anonymous(const std::string& name, std::size_t size) {
    UniqueFd fd = memory_file(name.c_str(), close_on_exec);
    if (!fd) return Error::from_errno("cannot create memory file " + name);
    if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
        return Error::from_errno("cannot size memory file " + name);
    return map(std::move(fd), size);
}

Result<MappedFile> MappedFile::map(UniqueFd fd, std::size_t size) {
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (at == MAP_FAILED) return Error::from_errno("cannot map");
    MappedFile file;
    file.data_ = static_cast<std::byte*>(at);
    file.size_ = size;
    file.fd_ = std::move(fd);
    return file;
}

}  // namespace holdfast
