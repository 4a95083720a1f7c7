// The names in a directory, one after another.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/text.h"

namespace holdfast::sources {

class Directory {
public:
    static Result<Directory> open(int parent, const char* name) {
        const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) return Error::from_errno(std::string("cannot open ") + name);
        DIR* stream = ::fdopendir(fd);
        if (stream == nullptr) {
            Error error = Error::from_errno(std::string("cannot list ") + name);
            ::close(fd);
            return error;
        }
        return Directory(stream);
    }

    // The next name that is a number (a pid, a thread, a descriptor), nothing at the end.
    std::optional<int> next_number() {
        while (const dirent* entry = ::readdir(stream_.get()))
            if (const auto number = parse_number<int>(entry->d_name); number && *number >= 0)
                return number;
        return std::nullopt;
    }
    int fd() const { return ::dirfd(stream_.get()); }

private:
    struct Close {
        void operator()(DIR* stream) const { ::closedir(stream); }
    };
    explicit Directory(DIR* stream) : stream_(stream) {}

    std::unique_ptr<DIR, Close> stream_;
};

}  // namespace holdfast::sources
