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

// What a descriptor leads to, as the kernel names it: a path, "pipe:[7]", "socket:[9]". Nothing if
// the name has 4096 bytes or more.
std::optional<std::string> fd_target(int process_dir, int fd);

// The number of open descriptors. Before Linux 6.2 it counts a listing, of at most `limit`.
Result<std::uint64_t> count_open_files(int process_dir, std::uint64_t limit = 65536);

struct WrittenFile {
    int fd = -1;
    std::string path;
    bool deleted = false;  // its name is deleted, but its blocks still exist
    std::uint64_t position = 0;
};

// The named files that are open for writing: at most `limit`, among the first `look_at`
// descriptors. Leaves out sockets, pipes, /dev, /proc and memory files by their names alone: asking
// the file (stat) hangs on a dead network filesystem.
Result<std::vector<WrittenFile>> written_files(int process_dir, std::size_t limit = 16,
                                               std::size_t look_at = 1024);

}  // namespace holdfast::sources
