// /proc/vmstat: the machine's counters of OOM kills, major faults and swapping.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "sources/live_file.h"
#include "sources/roots.h"

namespace holdfast::sources {

struct Vmstat {
    // Also counts kills at the limit of any cgroup on the machine. Since Linux 4.13.
    std::optional<std::uint64_t> oom_kill;
    std::optional<std::uint64_t> major_faults;  // pgmajfault
    std::optional<std::uint64_t> swap_in_pages, swap_out_pages;
};

Result<Vmstat> parse_vmstat(std::string_view text);

class VmstatReader {
public:
    static Result<VmstatReader> open(const Roots& roots);
    Result<Vmstat> read() const;

private:
    explicit VmstatReader(LiveFile file) : file_(std::move(file)) {}
    LiveFile file_;
};

}  // namespace holdfast::sources
