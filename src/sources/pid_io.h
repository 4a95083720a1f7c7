// /proc/PID/io: what a process has read and written.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::sources {

struct PidIo {
    std::optional<Bytes> read_calls, written_calls;  // rchar, wchar: through read() and write()
    std::optional<Bytes> read_disk, written_disk;    // read_bytes, write_bytes: reached a device
};

Result<PidIo> parse_pid_io(std::string_view text);
// EACCES unless we may trace the process.
Result<PidIo> read_pid_io(int process_dir);

}  // namespace holdfast::sources
