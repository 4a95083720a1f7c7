// /proc/PID/stat and statm: a process's identity, state, CPU time and size, one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "sources/figures.h"

namespace holdfast::sources {

struct PidStat {
    int pid = 0;
    std::string comm;  // at most 15 bytes, chosen by the program: not safe to print
    char state = '?';
    int ppid = 0;
    int pgrp = 0;
    int session = 0;
    int tty = 0;              // device number, 0: no controlling terminal
    std::uint64_t flags = 0;  // PF_*, see is_exiting
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    Nanos cpu_time{};  // user and system, in steps of 10 ms
    std::uint64_t threads = 0;
    std::uint64_t start_ticks = 0;  // since boot; together with the pid it identifies a process
    Bytes virtual_size;
    Bytes rss;
    // As waitpid returns it. Absent before Linux 3.5; 0 while the process lives, and always 0 if we
    // may not trace it.
    std::optional<int> exit_code;
};

// It is in exit() but not a zombie yet: its cgroup and its memory are no longer its own.
constexpr bool is_exiting(const PidStat& stat) { return (stat.flags & 4U) != 0; }

Result<PidStat> parse_pid_stat(std::string_view text, Bytes page = page_size());
Result<PidStat> read_pid_stat(int process_dir);

// /proc/PID/statm: a process's size, from the cheapest file that has it.
struct PidStatm {
    Bytes size;
    Bytes rss;     // 0 for zombies and kernel threads, which have no memory
    Bytes shared;  // file pages and shmem among rss
};

Result<PidStatm> parse_pid_statm(std::string_view text, Bytes page = page_size());
Result<PidStatm> read_pid_statm(int process_dir);

}  // namespace holdfast::sources
