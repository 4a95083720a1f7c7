// The black box on disk, shared by its writers (supervisor, relay, GPU watch, agent) and its
// reader. Plain C++ without a library: the agent includes it too. docs/black-box.md is the
// specification; a change here is a new `version` there. All integers are little-endian, all times
// CLOCK_MONOTONIC nanoseconds unless named wall.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace holdfast::format {

inline constexpr char magic[8] = {'H', 'O', 'L', 'D', 'F', 'A', 'S', 'T'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint64_t unknown = ~std::uint64_t{0};  // could not be seen, for any u64
inline constexpr std::int64_t never = INT64_MIN;             // the same for a time

enum class BoxKind : std::uint32_t { machine = 1, output = 2, gpu = 3, agent = 4, crash = 5 };

enum class SectionId : std::uint32_t {
    none = 0,
    samples = 1,       // ring of Sample, the last minutes at full rate
    history = 2,       // RingHead and Samples by slot, the whole run, thinned as it grows
    processes = 3,     // table of Process
    cgroups = 4,       // table of Cgroup
    events = 5,        // ring of Event
    disks = 6,         // table of Disk
    neighbours = 7,    // table of Neighbour
    end = 8,           // table of one End
    output = 9,        // ring of bytes (OutputHead, then the bytes)
    gpus = 10,         // table of Gpu
    agent_slots = 11,  // of AgentSlot, see agent_format.h
    crashes = 12,      // of Crash, see agent_format.h
    stacks = 13,       // table of Stacks
    stalls = 20,       // table of Stall, by its number
    stalled = 21,      // table of StalledProcess, for the newest stall
};

// A slot of a table has two copies of its record. The writer overwrites the older one, so that if
// it dies meanwhile the other copy remains.
inline constexpr std::size_t table_copies = 2;

// Where a section lies. A ring is a RingHead and `capacity` records of `record_size` bytes; a table
// `capacity` slots of `table_copies` records; the output an OutputHead and `capacity` bytes.
struct Section {
    SectionId id;
    std::uint32_t record_size;
    std::uint64_t offset;
    std::uint64_t capacity;
};
static_assert(sizeof(Section) == 24);

// The first page of every box. Written once, after everything else; `checksum` covers everything
// before it.
struct FileHeader {
    char magic[8];
    std::uint32_t version;
    BoxKind kind;
    std::uint64_t file_size;
    unsigned char boot_id[16];  // times mean nothing after another boot
    std::int32_t writer_pid;
    std::uint32_t section_count;
    std::uint64_t writer_start_ticks;  // field 22 of /proc/PID/stat: a pid alone may be reused
    std::int64_t created;
    std::int64_t created_wall;
    Section sections[16];
    std::uint32_t reserved;
    std::uint32_t checksum;
};
static_assert(sizeof(FileHeader) == 80 + 16 * 24);
inline constexpr std::size_t header_space = 4096;

// The beginning of every record. `checksum` covers the whole record (with the checksum itself as
// zero); `sequence` counts from 1, and 0 means that nothing was written. A writer that dies
// meanwhile leaves a record with a wrong checksum, and the reader skips it.
struct RecordHeader {
    std::uint64_t sequence;
    std::uint32_t checksum;
    std::uint32_t size;
};
static_assert(sizeof(RecordHeader) == 16);

struct RingHead {
    std::uint64_t written;  // records (or bytes) written so far; a hint only, the sequences decide
    std::uint64_t reserved[7];
};
static_assert(sizeof(RingHead) == 64);

// One look at the machine and the tree. A figure is `unknown` if it could not be read.
struct Sample {
    RecordHeader header;
    std::int64_t time;
    // host
    std::uint64_t mem_total, mem_available, mem_free, swap_total, swap_free, committed,
        commit_limit;
    std::uint64_t vm_oom_kill, vm_major_faults, vm_swap_in, vm_swap_out;
    std::uint64_t psi_memory_some_us, psi_memory_full_us, psi_io_full_us, psi_cpu_some_us;
    // the level with the least headroom in the main process's cgroup chain
    std::uint64_t cgroup_usage, cgroup_limit, cgroup_headroom, cgroup_oom_kill, cgroup_shmem;
    // the tree
    std::uint64_t tree_rss, tree_processes, tree_threads, tree_cpu_ns;
    // the main process
    std::uint64_t main_rss, main_open_files, main_threads;
    std::uint32_t interval_ms;  // until the next look
    std::uint32_t reserved;
};
static_assert(sizeof(Sample) == 16 + 8 + 27 * 8 + 8);

enum class ProcessRole : std::uint8_t { main = 0, worker = 1, rank = 2, helper = 3 };

enum class ProgramKind : std::uint8_t { other = 0, python = 1, wrapper = 2 };

struct Process {
    RecordHeader header;
    std::int32_t pid, parent;
    std::uint64_t start_ticks;
    std::int64_t first_seen, last_seen, ended;  // ended: `never` while it lives
    std::int32_t wait_status;                   // as waitpid gives it; -1 unknown
    std::int32_t rank;                          // -1 none
    std::int32_t cgroup;                        // slot in the cgroups table; -1 unknown
    ProcessRole role;
    char state;
    ProgramKind program;
    std::uint8_t is_command;  // the command itself (argv[0] of `run`)
    std::uint64_t rss, rss_peak, anon, shmem, swap, virtual_size;
    std::uint64_t threads, threads_peak, open_files, open_files_peak, mappings;
    std::uint64_t cpu_ns, minor_faults, major_faults, read_bytes, write_bytes;
    std::uint64_t limit_as, limit_data, limit_fsize, limit_nofile, limit_nproc, limit_cpu_soft,
        limit_cpu_hard;
    std::int32_t oom_score_adj;
    std::uint32_t uid;
    char name[16];
    char wait_channel[32];
    char command[200];  // masked, cut with "..."
};
static_assert(sizeof(Process) == 16 + 8 + 8 + 24 + 16 + 23 * 8 + 8 + 16 + 32 + 200);

struct CgroupLevel {
    std::uint64_t limit, usage_first, usage, peak;
    std::uint64_t limit_hits_first, limit_hits, oom_first, oom, oom_kill_first, oom_kill;
    std::uint64_t swap_limit, swap_usage;
    std::uint64_t pids_limit, pids, pids_refused_first, pids_refused;
    std::uint32_t oom_group;      // 0, 1, or ~0 unknown
    std::uint32_t components_up;  // this level's path is the own path less so many components
};
static_assert(sizeof(CgroupLevel) == 16 * 8 + 8);
inline constexpr std::size_t cgroup_levels = 10;

struct Cgroup {
    RecordHeader header;
    std::int64_t last_seen;
    std::uint64_t anon, file, shmem, kernel;
    std::uint32_t version;  // 1 or 2
    std::uint32_t level_count;
    CgroupLevel levels[cgroup_levels];  // own first
    std::int32_t strangers[32];         // members that are not ours, at the last look; 0 ends it
    std::int32_t strangers_gone[8];     // see CgroupEvidence
    char path[512];                     // own, within the hierarchy
};
static_assert(sizeof(Cgroup) == 16 + 8 + 32 + 8 + cgroup_levels * 136 + 128 + 32 + 512);

enum class EventKind : std::uint32_t {
    // 1: no longer written
    signal = 2,  // number a; sender pid b, uid c; flags d (1 kernel, 2 whole group); text sender
    oom_kill_moved = 3,      // cgroup slot a; before b, after c; time of the look before: d
    kernel_log = 4,          // text without the prefix of /dev/kmsg; d: its own time, ns
    process_ended = 5,       // pid a, wait status b (-1 unknown); except clean ends
    missing = 6,             // a: MissingKind; text: what that does not say
    userspace_oom_mark = 7,  // cgroup slot a; text: systemd-oomd's marks from before the run
    // Written by the sentry. a: 1 killed, 2 crashed, 3 killed by the OOM killer; b: 1 if the sentry
    // passed the kill on to the program
    supervisor_lost = 8,
};

struct Event {
    RecordHeader header;
    std::int64_t time;
    EventKind kind;
    std::uint32_t text_size;
    std::int64_t a, b, c, d;
    char text[448];
};
static_assert(sizeof(Event) == 16 + 16 + 32 + 448);

struct Disk {
    RecordHeader header;
    std::int64_t last_seen;
    std::uint64_t size, free, free_least, inodes_free;
    std::uint64_t magic;  // statfs f_type
    char use[32];
    char path[256];
};
static_assert(sizeof(Disk) == 16 + 8 + 40 + 32 + 256);

struct Neighbour {
    RecordHeader header;
    std::int64_t last_seen;
    std::int32_t pid;
    std::uint32_t same_cgroup;
    std::uint64_t rss;
    char name[16];
    char command[128];
};
static_assert(sizeof(Neighbour) == 16 + 8 + 8 + 8 + 16 + 128);

struct End {
    RecordHeader header;
    std::int64_t time, time_wall;
    std::int32_t wait_status;
    std::uint32_t complete;  // 1: the supervisor collected everything and wrote this last
};
static_assert(sizeof(End) == 16 + 16 + 8);

// The output box: what the relay passed on. Byte number n lies at `n % capacity`. A writer stores
// at most `output_chunk` bytes before it moves `taken`, so of a full ring the oldest `output_chunk`
// bytes may be newer ones already.
inline constexpr std::size_t output_capacity = 64U << 10U;
inline constexpr std::size_t output_chunk = 16U << 10U;
struct OutputHead {
    std::uint64_t taken;      // bytes read from the program
    std::uint64_t delivered;  // bytes passed on
    std::uint64_t reserved[6];
};
static_assert(sizeof(OutputHead) == 64);

struct GpuProcess {
    std::int32_t pid;
    std::uint32_t reserved;
    std::uint64_t used;
};
struct Gpu {
    RecordHeader header;
    std::int64_t last_seen;
    std::uint32_t index;
    std::uint32_t lost;
    std::uint64_t total, used, used_peak;
    std::uint64_t clock_event_reasons, clock_event_reasons_seen;  // now; all of the run or-ed
    std::uint64_t ecc_uncorrected_first, ecc_uncorrected;
    std::uint32_t utilisation, temperature, temperature_peak;  // ~0 unknown
    std::uint32_t last_xid;                                    // 0 none
    std::int64_t last_xid_time;
    GpuProcess processes[16];  // pid 0 is the terminator
    char name[64];
};
static_assert(sizeof(Gpu) == 16 + 8 + 8 + 7 * 8 + 16 + 8 + 256 + 64);

// The Python stacks of one process, as the supervisor last read them from outside. The text has the
// format of Crash::python in agent_format.h.
struct Stacks {
    RecordHeader header;
    std::int64_t time;
    std::int32_t pid;
    std::uint32_t text_size;
    char text[8160];
};
static_assert(sizeof(Stacks) == 8192);

// A time in which nothing moved, or no step ended. Recorded from its first seconds on: most stalls
// are soon over, but one may last until the program ends.
struct Stall {
    RecordHeader header;
    std::int64_t since;      // when it began
    std::int64_t seen;       // the last look at which it still lasted
    std::int64_t told;       // when it had lasted long enough to report; `never`: not yet
    std::int64_t moved;      // when the program went on; `never`: not yet
    std::int64_t last_step;  // `never`: no steps are counted
    std::uint64_t steps;     // ended before it, in the process that counts most
    std::uint64_t usual_ns, longest_ns;
    std::uint64_t cpu_ns;  // what the tree has used since
    std::uint32_t number;  // number of this stall in the run, from 1
    // 1: the CPU is busy; 2: nobody outside the tree can end it; 4: it does not leave one loop, and
    // last_step, usual_ns and longest_ns are about writes; bits 8 to 15: how many of the main
    // thread's frames are called from the loop's frame
    std::uint32_t flags;
};
static_assert(sizeof(Stall) == 16 + 5 * 8 + 4 * 8 + 8);
inline constexpr std::uint32_t stall_busy = 1;
inline constexpr std::uint32_t stall_inside_only = 2;
inline constexpr std::uint32_t stall_in_loop = 4;
inline constexpr std::uint32_t stall_loop_frames = 0xFF00;
inline constexpr unsigned stall_loop_shift = 8;

// The threads of one process in that stall. The text has the format of record/stall_text.h.
struct StalledProcess {
    RecordHeader header;
    std::uint32_t stall;  // the stall's number
    std::int32_t pid;
    std::uint32_t text_size;
    std::uint32_t traced;  // 1: a debugger controls it
    char text[8160];
};
static_assert(sizeof(StalledProcess) == 8192);

template <class T>
inline constexpr bool is_record = std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T>;
static_assert(is_record<Sample> && is_record<Process> && is_record<Cgroup> && is_record<Event> &&
              is_record<Disk> && is_record<Neighbour> && is_record<End> && is_record<Gpu> &&
              is_record<Stacks> && is_record<Stall> && is_record<StalledProcess>);

}  // namespace holdfast::format
