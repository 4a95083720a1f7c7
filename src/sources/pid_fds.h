// /proc/PID/fd and fdinfo: how many descriptors a process has open, and which files it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

struct FdInfo {
    std::uint64_t position = 0;
    unsigned flags = 0;  // of open(2)
};

Result<FdInfo> parse_fdinfo(std::string_view text);

// What a descriptor refers to, as the kernel names it: a path, "pipe:[7]", "socket:[9]". A name of
// 4096 bytes or more counts as none.
std::optional<std::string> fd_target(int process_dir, int fd);

// Open descriptors. Counted by listing before Linux 6.2, and then at most `limit` of them.
Result<std::uint64_t> count_open_files(int process_dir, std::uint64_t limit = 65536);

struct WrittenFile {
    int fd = -1;
    std::string path;
    bool deleted = false;  // its name is gone, its blocks are not
    std::uint64_t position = 0;
};

// Files open for writing that have a name, at most `limit` of them out of the first `look_at`
// descriptors. Sockets, pipes, /dev, /proc and memory files are left out by their names alone:
// asking the file itself (stat) hangs on a dead network filesystem.
Result<std::vector<WrittenFile>> written_files(int process_dir, std::size_t limit = 16,
                                               std::size_t look_at = 1024);

}  // namespace holdfast::sources
