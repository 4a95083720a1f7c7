// What a process uses and what it may use, as the files below /proc/PID say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::sources {

// /proc/PID/status: the parts of a process's memory, its pending signals and its numbers.
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

// /proc/PID/io: what a process has read and written.
struct PidIo {
    std::optional<Bytes> read_calls, written_calls;  // rchar, wchar: through read() and write()
    std::optional<Bytes> read_disk, written_disk;    // read_bytes, write_bytes: reached a device
};

Result<PidIo> parse_pid_io(std::string_view text);
// EACCES unless we may trace the process.
Result<PidIo> read_pid_io(int process_dir);

// /proc/PID/limits: the resource limits of a process, soft and hard.
struct Limit {
    bool known = false;  // the line was there
    // Absent, though known: unlimited.
    std::optional<std::uint64_t> soft, hard;
};

struct PidLimits {
    Limit cpu_seconds;
    Limit file_size;  // bytes, as all sizes here
    Limit data;
    Limit stack;
    Limit core;
    Limit processes;  // counted per user, over the whole machine
    Limit open_files;
    Limit locked;
    Limit address_space;
};

Result<PidLimits> parse_pid_limits(std::string_view text);
Result<PidLimits> read_pid_limits(int process_dir);

// /proc/PID/maps, counted only: vm.max_map_count bounds the number of its lines.
struct MapCount {
    std::uint64_t mappings = 0;
    bool complete = true;  // false: there are more, the reading stopped at its bound
};

// Not to be read at every look: the kernel walks all mappings under the process's lock.
Result<MapCount> count_mappings(int process_dir, std::size_t limit = 16U << 20U);

}  // namespace holdfast::sources
