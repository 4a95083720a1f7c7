// A kernel file that stays open and is read again and again: saves an open and a close per look.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast::sources {

class LiveFile {
public:
    LiveFile() = default;
    static Result<LiveFile> open(int directory, const char* name);

    explicit operator bool() const { return static_cast<bool>(fd_); }

    // Reads the file's current text into `buffer`; EFBIG if it does not fit. Makes a single pread,
    // which is right for files that the kernel writes as one record (cgroup files, meminfo,
    // pressure, /proc/PID/stat and statm). Others (vmstat, cgroup.procs) come a page at a time and
    // need read_whole. ENODEV: the cgroup is gone. ESRCH: the process is.
    Result<std::string_view> read(std::span<char> buffer) const;
    Result<std::string_view> read_whole(std::span<char> buffer) const;
    // A single pread; returns how many bytes were read, 0 at the end. For files too long to hold at
    // once.
    Result<std::size_t> read_from(std::size_t offset, std::span<char> buffer) const;

private:
    explicit LiveFile(UniqueFd fd) : fd_(std::move(fd)) {}

    UniqueFd fd_;
};

}  // namespace holdfast::sources
