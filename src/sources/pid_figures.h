// What a process uses and may use, from the files below /proc/PID.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"

namespace holdfast::sources {

// /proc/PID/status: a process's memory by kind, its pending signals and its ids. A zombie or a
// kernel thread has no memory, so its Vm lines are missing; older kernels lack other lines.
struct PidStatus {
    std::optional<Bytes> rss, rss_peak;  // VmRSS, VmHWM
    std::optional<Bytes> anon, file, shmem;
    std::optional<Bytes> swap;
    std::optional<Bytes> virtual_size, virtual_peak;
    std::optional<std::uint64_t> threads;
    std::optional<int> tracer_pid;                                 // 0: nobody debugs it
    std::optional<std::uint32_t> uid;                              // real
    std::optional<std::uint64_t> pending_thread, pending_process;  // SigPnd, ShdPnd: bit N-1 is N
    std::optional<std::uint64_t> ignored;                          // SigIgn
    std::vector<int> namespace_pids;  // NSpid, our namespace's first, the innermost last
    std::optional<std::uint64_t> voluntary_switches, involuntary_switches;
};

// An Error only if no line has the form "Name:\tvalue".
Result<PidStatus> parse_pid_status(std::string_view text);
Result<PidStatus> read_pid_status(int process_dir);

// /proc/PID/io: what a process has read and written.
struct PidIo {
    std::optional<Bytes> read_calls, written_calls;  // rchar, wchar: through read() and write()
    std::optional<Bytes> read_disk, written_disk;    // read_bytes, write_bytes: reached a device
    std::optional<std::uint64_t> write_count;        // syscw: calls of write() and the like
};

Result<PidIo> parse_pid_io(std::string_view text);
// EACCES unless we may trace the process.
Result<PidIo> read_pid_io(int process_dir);

// /proc/PID/task/TID/schedstat: how long a thread ran, and how long it waited for a core to run on.
struct ThreadTurns {
    Nanos ran{}, waited{};
};

// An Error where the kernel does not count this.
Result<ThreadTurns> parse_thread_turns(std::string_view text);
Result<ThreadTurns> read_thread_turns(int process_dir, int tid);

// /proc/PID/limits: the resource limits of a process, soft and hard.
struct Limit {
    bool known = false;  // the line was there
    // Known but absent means unlimited.
    std::optional<std::uint64_t> soft, hard;
};

struct PidLimits {
    Limit cpu_seconds;
    Limit file_size;  // bytes, as all sizes here
    Limit data;
    Limit stack;
    Limit core;
    Limit processes;  // counted per user, on the whole machine
    Limit open_files;
    Limit locked;
    Limit address_space;
};

Result<PidLimits> parse_pid_limits(std::string_view text);
Result<PidLimits> read_pid_limits(int process_dir);

// /proc/PID/maps, of which we only count the lines: vm.max_map_count limits their number.
struct MappingCount {
    std::uint64_t mappings = 0;
    bool complete = true;  // false: there are more than were read
};

// Not for every look: the kernel walks all mappings under the process's lock.
Result<MappingCount> count_mappings(int process_dir, std::size_t limit = 16U << 20U);

}  // namespace holdfast::sources
