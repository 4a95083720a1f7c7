#include "base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/unique_fd.h"

namespace holdfast {
namespace {

Result<std::string> read_all(const UniqueFd& fd, const std::string& name, std::size_t limit) {
    std::string text;
    for (;;) {
        const std::size_t had = text.size();
        const std::size_t want =
            std::min<std::size_t>(std::max<std::size_t>(had, 4096), limit + 1 - had);
        text.resize(had + want);
        ssize_t got = 0;
        do got = ::read(fd.get(), text.data() + had, want);
        while (got < 0 && errno == EINTR);
        if (got < 0) return Error::from_errno("cannot read " + name);
        text.resize(had + static_cast<std::size_t>(got));
        if (got == 0) return text;
        if (text.size() > limit) return Error{name + " is larger than expected", EFBIG};
    }
}

}  // namespace

Result<std::string> read_file_at(int directory, const std::string& name, std::size_t limit) {
    const UniqueFd fd(
        ::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return Error::from_errno("cannot open " + name);
    return read_all(fd, name, limit);
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
    return read_file_at(AT_FDCWD, path, limit);
}

Result<std::string> read_tail(int fd, std::size_t limit, std::uint64_t from) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return Error::from_errno("cannot stat");
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
    if (size <= from) return std::string();
    const std::uint64_t begin = std::max(from, size > limit ? size - limit : 0);
    std::string text(size - begin, '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const ssize_t got =
            ::pread(fd, text.data() + have, text.size() - have, static_cast<off_t>(begin + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno("cannot read");
        if (got == 0) break;
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    return text;
}

}  // namespace holdfast
