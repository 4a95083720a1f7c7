// /proc/PID/status: the parts of a process's memory, its pending signals and its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::sources {

// A zombie or a kernel thread has no memory and so no Vm lines; older kernels lack others.
struct PidStatus {
    std::optional<Bytes> rss, rss_peak;  // VmRSS, VmHWM
    std::optional<Bytes> anon, file, shmem;
    std::optional<Bytes> swap;
    std::optional<Bytes> virtual_size, virtual_peak;
    std::optional<std::uint64_t> threads;
    std::optional<int> tracer_pid;                                 // 0: nobody debugs it
    std::optional<std::uint32_t> uid;                              // real
    std::optional<std::uint64_t> pending_thread, pending_process;  // SigPnd, ShdPnd: bit N-1 is N
    std::vector<int> namespace_pids;  // NSpid, our namespace's first, the innermost last
    std::optional<std::uint64_t> voluntary_switches, involuntary_switches;
};

// Fails only on text that has no line of the form "Name:\tvalue".
Result<PidStatus> parse_pid_status(std::string_view text);
Result<PidStatus> read_pid_status(int process_dir);

}  // namespace holdfast::sources
