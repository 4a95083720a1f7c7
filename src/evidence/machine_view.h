// What can still be read from the machine after a run. Everything is injected: a test passes in
// what it needs, and a default value is valid and sees nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "record/run_facts.h"
#include "sources/cgroup_reading.h"
#include "sources/host.h"
#include "sources/kernel_log.h"

namespace holdfast {

struct CgroupNow {
    sources::CgroupReading reading;
    std::optional<std::string> userspace_oom_mark;
};

struct KernelLogNow {
    std::vector<sources::KernelRecord> records;  // from its start
};

struct OutputFile {
    std::string tail;
    bool from_the_middle = false;  // the tail may begin in the middle of a line
    Nanos modified_wall{};
};

struct MachineView {
    std::optional<sources::BootId> boot_id;
    Nanos now{};  // monotonic
    // Whether this process still lives; the pid alone may be another process by now.
    std::function<bool(int pid, std::uint64_t start_ticks)> alive;
    // The cgroup of this path, if it still exists; never one above it.
    std::function<Result<CgroupNow>(int version, const std::string& path)> cgroup;
    std::function<Result<KernelLogNow>()> kernel_log;
    // The file that stderr went to, if it is still the same file.
    std::function<Result<OutputFile>(const OutputCapture& capture, std::size_t limit)> output_file;
};

// Looks below `root`; a machine whose proc/ cannot be opened gives a view that sees nothing.
MachineView view_of_machine(const std::string& root = "/");

}  // namespace holdfast
