// /proc/PID/statm: a process's size, the cheapest file to read it from.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "sources/page_size.h"

namespace holdfast::sources {

struct PidStatm {
    Bytes size;
    Bytes rss;     // 0 for a zombie and for a kernel thread: they own no memory
    Bytes shared;  // file pages and shmem among rss
};

Result<PidStatm> parse_pid_statm(std::string_view text, Bytes page = page_size());
Result<PidStatm> read_pid_statm(int process_dir);

}  // namespace holdfast::sources
