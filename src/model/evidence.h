// Everything known about a run, as plain values. Rules read nothing else, so evidence saved from a
// real death (as JSON) replays it. An absent value could not be seen; it is never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/missing_kind.h"
#include "base/time.h"
#include "model/agent_evidence.h"
#include "model/stall_evidence.h"
#include "model/verdict.h"

namespace holdfast {

// What could not be seen. diagnose/words makes the sentence.
struct Missing {
    MissingKind what = MissingKind::other;
    std::string detail;  // what the kind does not say: a reason, a number; or the whole sentence

    // From a sentence in a record or a recording from before there were kinds. Guesses.
    static Missing from_text(std::string text);
    friend bool operator==(const Missing&, const Missing&) = default;
};

// Whether anything about this subject is missing.
bool is_missing(const std::vector<Missing>& list, MissingKind subject);

// A soft limit of a process; absent when unlimited or not readable.
struct ProcessLimits {
    std::optional<Bytes> address_space;  // RLIMIT_AS
    std::optional<Bytes> data;           // RLIMIT_DATA
    std::optional<Bytes> file_size;      // RLIMIT_FSIZE
    std::optional<std::uint64_t> open_files;
    std::optional<std::uint64_t> processes;  // RLIMIT_NPROC, counted per user
    std::optional<std::uint64_t> cpu_seconds_soft;
    std::optional<std::uint64_t> cpu_seconds_hard;
};

enum class Role { main, worker, rank, helper };  // helper: below a wrapper, but not the program

struct ProcessEvidence {
    int pid = 0;
    int parent = 0;
    Role role = Role::helper;
    std::optional<int> rank;
    std::string name;     // comm, 15 characters at most
    std::string command;  // secrets masked
    bool python = false;
    bool wrapper = false;  // a shell or the like, whose only work is to start another program
    RunTime first_seen{};
    RunTime last_seen{};
    std::optional<RunTime> ended;    // when the end was noticed
    std::optional<ExitStatus> exit;  // absent: it is gone, and nobody could read how
    std::optional<int> cgroup;       // index into Evidence::cgroups
    // From the last look while it lived.
    std::optional<char> state;  // R S D Z T ...
    std::optional<Bytes> rss;
    std::optional<Bytes> rss_peak;
    std::optional<Bytes> anon;
    std::optional<Bytes> shmem;
    std::optional<Bytes> swap;
    std::optional<Bytes> virtual_size;  // the most it had: it frees much after a refusal
    std::optional<std::uint64_t> threads;
    std::optional<std::uint64_t> open_files;
    std::optional<std::uint64_t> open_files_peak;  // the most seen at any look
    std::optional<std::uint64_t> threads_peak;
    std::optional<std::uint64_t> mappings;
    std::optional<Nanos> cpu_time;
    std::optional<std::uint64_t> major_faults;
    std::string wait_channel;
    ProcessLimits limits;
};

// One level of the chain from a process's own cgroup up to the visible root.
struct CgroupLevel {
    std::string path;
    std::optional<Bytes> limit;  // memory.max / memory.limit_in_bytes; absent: none
    std::optional<Bytes> usage_first, usage_last;
    std::optional<Bytes> peak;
    std::optional<std::uint64_t> limit_hits_first, limit_hits_last;  // v2 events "max", v1 failcnt
    std::optional<std::uint64_t> oom_first, oom_last;                // v2 events "oom"
    std::optional<std::uint64_t> oom_kill_first, oom_kill_last;
    std::optional<Bytes> swap_limit, swap_usage;  // v1: memsw, memory included
    std::optional<std::uint64_t> pids_limit, pids_usage;
    std::optional<std::uint64_t> pids_refused_first, pids_refused_last;  // pids.events "max"
    std::optional<bool> oom_group;  // memory.oom.group: a kill kills everybody, the supervisor too
};

// oom_kill of a process's own cgroup rose between two looks.
struct OomKillMoved {
    RunTime after{};  // the last look that still had `before_count`
    RunTime noticed{};
    std::uint64_t before_count = 0;
    std::uint64_t after_count = 0;
};

struct CgroupEvidence {
    int version = 0;                                 // 1 or 2
    std::vector<CgroupLevel> levels;                 // own first, outermost last
    std::vector<OomKillMoved> kills;                 // of the own level
    std::optional<Bytes> anon, file, shmem, kernel;  // memory.stat of the own level, last look
    // Members that are not ours and left between the last look before the end and the end: an
    // oom_kill count may belong to any of them.
    std::vector<int> strangers_gone;
    std::optional<std::string> userspace_oom_mark;  // xattr user.oomd_kill / user.oomd_ooms, value
};

struct HostEvidence {
    std::optional<Bytes> total;
    std::optional<Bytes> available_last, available_least;
    std::optional<Bytes> swap_total, swap_free_last;
    std::optional<Bytes> commit_limit, committed;  // `committed`: the most of the last two seconds
    std::optional<int> overcommit_mode;
    std::optional<std::uint64_t> max_map_count;
    std::optional<std::uint64_t> oom_kill_first, oom_kill_last;  // /proc/vmstat
    std::optional<double> cpu_count;
    bool in_first_pid_namespace = false;  // false: pids in the kernel log are not ours
};

// Pressure over the last minute before the end (or before now, if it runs).
struct PressureEvidence {
    std::optional<double> memory_some, memory_full;  // percent of time
    std::optional<double> io_full;
    std::optional<double> cpu_some;
    std::optional<double> major_faults_per_second;
    std::optional<double> swap_in_pages_per_second;
    std::optional<RunTime> window;
};

struct DiskEvidence {
    std::string use;  // "working directory", "temporary directory", "/dev/shm", "written to"
    std::string path;
    std::string filesystem;  // "ext4", "tmpfs"
    std::optional<Bytes> size, free_last, free_least;
    std::optional<std::uint64_t> inodes_free;
};

// Another process of this machine that holds much memory.
struct Neighbour {
    int pid = 0;
    std::string name;
    std::string command;
    Bytes rss;
    bool same_cgroup = false;  // within a limited level of the main process's chain
};

// A row of the kernel's list at an OOM kill.
struct MemoryHolder {
    int pid = 0;
    std::string name;
    Bytes held;
};

struct KernelLogEntry {
    enum class Kind { oom_kill, segfault, gpu_fault, io_error, memory_error, other };
    Kind kind = Kind::other;
    RunTime time{};
    std::optional<int> pid;  // as the kernel numbers it, see HostEvidence::in_first_pid_namespace
    std::string task;
    std::string constraint;  // oom_kill: CONSTRAINT_MEMCG, CONSTRAINT_NONE, ...
    std::string oom_memcg;   // oom_kill: whose limit
    std::string task_memcg;  // oom_kill: the victim's own cgroup
    std::optional<Bytes> anon_rss, file_rss, shmem_rss, total_vm;
    std::optional<int> xid;  // gpu_fault
    std::string text;        // the line itself, masked and shortened
    // oom_kill: the largest at that moment, largest first; empty when the list was not printed.
    std::vector<MemoryHolder> holders;
};

struct GpuEvidence {
    int index = 0;
    std::string name;
    std::optional<Bytes> total, used_last, used_peak;
    std::optional<int> utilisation_percent, temperature_celsius;
    std::optional<std::uint64_t> clock_event_reasons;
    bool lost = false;
    struct Holder {
        int pid = 0;
        std::optional<Bytes> used;
        std::string name;
        bool ours = false;
    };
    std::vector<Holder> processes;
};

// The last Python traceback: from the agent, else from stderr.
struct TracebackText {
    std::vector<Frame> frames;  // outermost first
    std::string type;           // "OSError", "torch.OutOfMemoryError"
    std::string message;
    bool ends_the_output = false;  // only blank lines and known epilogues follow
    bool recorded = false;         // by the agent as it happened, not read from stderr
};

struct SchedulerEvidence {
    std::string kind;  // "slurm", "kubernetes", "" for none
    std::string job_id;
    std::optional<RunTime> ends_at;  // SLURM_JOB_END_TIME
};

struct Evidence {
    RunSummary run;
    std::string holdfast_version;
    std::optional<int> main_pid;
    bool ended = false;            // the command's end was seen
    bool supervisor_lost = false;  // it was gone before it could see the end
    bool command_alive = false;    // the command still runs (with or without supervisor)
    ExitStatus exit;               // of the command
    bool core_dumped = false;
    std::optional<RunTime> end_time;
    std::vector<ProcessEvidence> processes;  // the command first, then by first_seen
    std::vector<CgroupEvidence> cgroups;
    HostEvidence host;
    PressureEvidence pressure;
    std::vector<DiskEvidence> disks;
    std::vector<Neighbour> neighbours;       // largest first
    std::vector<KernelLogEntry> kernel_log;  // during the run, oldest first
    // The log was read without gaps. The kernel names every process that its OOM killer kills, so
    // one that is not named was not killed.
    bool kernel_log_complete = false;
    std::vector<SignalSeen> signals;  // oldest first
    std::vector<GpuEvidence> gpus;
    std::vector<AgentEvidence> agents;   // sorted by when they began
    std::vector<CrashEvidence> crashes;  // oldest first
    std::vector<StacksEvidence> stacks;  // one per Python process that could be read
    std::vector<StallEvidence> stalls;   // oldest first
    SchedulerEvidence scheduler;
    std::string stderr_tail;   // masked, printable
    bool stderr_seen = false;  // false: terminal, closed or unreadable
    std::optional<TracebackText> traceback;
    MemorySummary memory;
    std::vector<Missing> missing;  // what could not be seen

    const ProcessEvidence* main() const;
    const ProcessEvidence* process(int pid) const;
    const CgroupEvidence* cgroup_of(const ProcessEvidence& process) const;
};

}  // namespace holdfast
