// A file mapped into memory: what is stored there survives a SIGKILL, and a store needs no system
// call.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

class MappedFile {
public:
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          fd_(std::move(other.fd_)) {}
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    // Creates `name` below `directory` (an open directory), zeroed, writable, shared. Allocates
    // every block first: on a full disk that is an error here, and not a SIGBUS at a later store.
    static Result<MappedFile> create(int directory, const std::string& name, std::size_t size);
    // The same without a file, for when no disk can be written. It ends with the process.
    static Result<MappedFile> anonymous(const std::string& name, std::size_t size);

    std::span<std::byte> bytes() { return {data_, size_}; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    int fd() const { return fd_.get(); }
    explicit operator bool() const { return data_ != nullptr; }

private:
    static Result<MappedFile> map(UniqueFd fd, std::size_t size);

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    UniqueFd fd_;
};

}  // namespace holdfast
