// /dev/kmsg: the kernel's log, record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "sources/roots.h"

namespace holdfast::sources {

struct KernelRecord {
    int level = 0;  // 0 emergency ... 7 debug
    // 0: the kernel itself. A program that writes to /dev/kmsg can never set 0.
    int facility = 0;
    std::uint64_t sequence = 0;
    Nanos time{};  // since boot, on a clock close to CLOCK_MONOTONIC
    std::string text;
};

// "6,339,5140900,-;text". Skips the lines after it that begin with a blank (SUBSYSTEM=...).
Result<KernelRecord> parse_kernel_record(std::string_view text);

class KernelLog {
public:
    enum class From { now, oldest };

    // EPERM or EACCES if this user may not read it (kernel.dmesg_restrict), which is normal.
    static Result<KernelLog> open(const Roots& roots, From from);

    // The next record; nothing if all were read. Never blocks.
    Result<std::optional<KernelRecord>> next();
    // Whether records were overwritten before we could read them.
    bool lost_some() const { return lost_some_; }
    // Readable when a record is there: for epoll.
    int fd() const { return fd_.get(); }

private:
    explicit KernelLog(UniqueFd fd) : fd_(std::move(fd)) {}

    UniqueFd fd_;
    bool lost_some_ = false;
};

}  // namespace holdfast::sources
