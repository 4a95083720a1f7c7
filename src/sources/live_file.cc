#include "sources/live_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace holdfast::sources {
namespace {

Error too_long() { return {"a kernel file is longer than expected", EFBIG}; }

}  // namespace

Result<LiveFile> LiveFile::open(int directory, const char* name) {
    UniqueFd fd(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return Error::from_errno(std::string("cannot open ") + name);
    return LiveFile(std::move(fd));
}

Result<std::size_t> LiveFile::read_from(std::size_t offset, std::span<char> buffer) const {
    ssize_t got = 0;
    do got = ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    while (got < 0 && errno == EINTR);
    if (got < 0) return Error::from_errno("cannot read a kernel file");
    return static_cast<std::size_t>(got);
}

Result<std::string_view> LiveFile::read(std::span<char> buffer) const {
    const auto got = read_from(0, buffer);
    if (!got) return got.error();
    if (*got == buffer.size()) return too_long();
    return std::string_view(buffer.data(), *got);
}

Result<std::string_view> LiveFile::read_whole(std::span<char> buffer) const {
    std::size_t have = 0;
    while (have < buffer.size()) {
        const auto got = read_from(have, buffer.subspan(have));
        if (!got) return got.error();
        if (*got == 0) return std::string_view(buffer.data(), have);
        have += *got;
    }
    return too_long();
}

}  // namespace holdfast::sources
