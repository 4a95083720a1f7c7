// What the agent inside a process leaves behind: `agent.box`, one slot per Python process, and
// `crash.box`, one slot per crash. Plain C++ without a library, like format.h. There are no
// checksums here: the writer may die between any two stores, so every figure is one aligned word,
// text is only ever appended, and a reader checks every index and bound before it believes one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/format.h"

namespace holdfast::format {

inline constexpr std::uint32_t agent_slots = 64;
inline constexpr std::uint32_t agent_frames_per_stack = 16;
inline constexpr std::uint32_t agent_windows = 16;
inline constexpr std::uint16_t no_frame = 0xFFFF;

// A text in the slot's own store: `offset` of its first byte, `size` without a terminator.
struct TextRef {
    std::uint32_t offset;
    std::uint32_t size;
};

// A Python frame, stored once and referred to by its number.
struct AgentFrame {
    TextRef file;
    TextRef function;    // qualified where the interpreter has it (3.11+)
    std::uint32_t line;  // 0 unknown
    std::uint32_t flags;
};
static_assert(sizeof(AgentFrame) == 24);

// Innermost first; `no_frame` is the terminator.
struct AgentStack {
    std::uint16_t frames[agent_frames_per_stack];
};
static_assert(sizeof(AgentStack) == 32);

enum AgentSiteFlags : std::uint32_t {
    site_other = 1,           // site 0: memory of stacks that found no room
    site_borrowed_stack = 2,  // from a thread without Python frames: the main thread's line
    // Arenas of Python's allocator for small objects: charged to the lines whose objects stayed
    // alive while they were watched, or else to the line that requested the arena.
    site_small_objects = 4,
    site_arena = 8,
    site_native = 16,   // no Python frame could be read anywhere
    site_gpu = 32,      // GPU memory, as the framework reports it
    site_unseen = 64,   // became resident while the main thread was here; nobody saw the request
    site_import = 128,  // requested by an import below this line
};

// Live memory by the Python stack that requested it. Where blocks are sampled, figures are
// estimates: each sampled block counts as its size divided by its chance of being sampled.
struct AgentSite {
    AgentStack stack;
    std::uint32_t flags;
    std::uint32_t live_blocks;  // sampled blocks, not an estimate
    std::uint64_t live_bytes;
    std::uint64_t peak_bytes;
    std::uint64_t total_bytes;    // requested so far
    std::uint64_t variance_kib2;  // of live_bytes, in KiB squared: its root is the error
    // live_bytes at the end of each window, in KiB; see AgentMemory::windows.
    std::uint32_t live_kib[agent_windows];
};
static_assert(sizeof(AgentSite) == 32 + 8 + 32 + 64);

// A stretch of time. When all are used, every second one is dropped and the next last twice as
// long, so that they always cover the whole life of the process. Oldest first.
struct AgentWindow {
    std::int64_t end;  // 0: not used yet
    std::uint64_t step;
    std::uint64_t rss;      // `unknown` where it was not read
    std::uint64_t tracked;  // live bytes over all sites
    std::uint64_t arenas;   // bytes of Python's arenas
    std::uint64_t gpu_allocated;
};
static_assert(sizeof(AgentWindow) == 48);

inline constexpr std::uint32_t agent_site_capacity = 512;
struct AgentMemory {
    std::uint64_t window_ns;     // the current length of a window
    std::uint32_t window_count;  // how many are used
    std::uint32_t site_count;
    std::uint64_t interval;  // current mean distance of two samples, in bytes
    std::uint64_t samples, dropped;
    std::uint64_t live_bytes, peak_bytes;  // of all sites together
    std::uint64_t arena_bytes;
    std::uint64_t reserved[4];
    AgentWindow windows[agent_windows];
    AgentSite sites[agent_site_capacity];
};

struct AgentStep {
    std::int64_t time;
    std::uint64_t number;
    std::uint64_t gpu_allocated, gpu_reserved;  // `unknown` without a GPU
    double loss;                                // NaN with has_loss 0: not known
    std::uint32_t has_loss;
    std::uint32_t reserved;
};
static_assert(sizeof(AgentStep) == 48);

inline constexpr std::uint32_t agent_step_ring = 64;
struct AgentSteps {
    std::uint64_t count;  // steps that have ended
    std::uint64_t epoch;
    std::int64_t first, last;            // when the first and the last step ended; 0 never
    std::uint64_t first_nonfinite_step;  // from 1; 0 never
    double nonfinite_value;
    std::uint64_t usual_ns;  // moving average of a step's length
    std::uint64_t longest_ns;
    char source[32];  // "torch optimizer", "keras fit", "holdfast.step()"
    std::uint64_t ring_written;
    AgentStep ring[agent_step_ring];  // number n at n % agent_step_ring
};

struct AgentException {
    std::int64_t time;  // 0: none
    std::int32_t tid;
    std::uint32_t frame_count;
    std::uint32_t in_main_thread;
    std::uint32_t reserved;
    char thread[32];
    char type[128];
    char message[1024];
    char causes[512];          // "ValueError: text" of each chained one, a line each, nearest first
    std::uint16_t frames[32];  // innermost first
};
inline constexpr std::uint32_t agent_exceptions = 4;

enum class AgentExitKind : std::uint32_t { none = 0, sys_exit = 1, os_exit = 2, c_exit = 3 };
struct AgentExit {
    std::int64_t time;
    AgentExitKind kind;
    std::int32_t status;
    AgentStack stack;
};

struct AgentSignal {
    std::int64_t time;  // 0: none
    std::int32_t number, code;
    std::int32_t sender_pid, sender_uid;
    char sender[104];  // its command line, cut
};
static_assert(sizeof(AgentSignal) == 128);
inline constexpr std::uint32_t agent_signals = 8;

enum class AgentNoteKind : std::uint32_t {
    none = 0,
    warning = 1,           // text: "Category: message"
    shutdown_request = 2,  // ipykernel; a: 1 restart
    cell = 3,              // a: execution count, b: 1 begins, 0 ends; text: its first line
    cuda_oom = 4,          // text: allocator statistics as JSON
    hook_failed = 5,       // text
    // 6: no longer written
    // text: "keras 3"; at an exception "tensorflow" or "jax", followed by the memory options that
    // are set, one per line: "XLA_PYTHON_CLIENT_MEM_FRACTION=.9"
    framework = 7,
    // A container that holds many tensors; a: how many, b: how many with their graphs. text: name,
    // file and, if a single line fills it, that line, each on a line of its own.
    kept_tensors = 8,
    // A variable that was no finite number when an exception passed by; a: own frames below it.
    // text: name, "nan" or "inf", file, line, and the file and line where the first such number of
    // those frames was set; each on a line of its own.
    nonfinite = 9,
    // The last validation's results; a: its epoch. text: "val_loss 0.31", one per line.
    validation = 10,
    // Python's collector of cycles is off; a: how many more objects were made than freed since, b:
    // 1 if one object's __init__ was running at this look and at the one before. The last look
    // counts.
    collector_off = 11,
};
struct AgentNote {
    std::int64_t time;
    AgentNoteKind kind;
    std::uint32_t text_size;
    std::int64_t a, b;
    char text[480];
};
static_assert(sizeof(AgentNote) == 512);
inline constexpr std::uint32_t agent_notes = 16;

// Where a thread was when the agent last read it. Slot 0 is the main thread.
struct AgentPlace {
    std::int64_t time;
    std::int32_t tid;
    std::uint32_t reserved;
    AgentStack stack;
};

// What the guard refused in this process, or would have refused in the mode that only warns.
struct AgentRefusal {
    std::int64_t time;  // 0: none
    std::uint64_t asked, room, limit;
    std::uint32_t kind;  // GuardEventKind of guard_format.h
    std::int32_t tid;
    AgentStack stack;
};
static_assert(sizeof(AgentRefusal) == 72);
struct AgentGuard {
    std::uint64_t refused, warned;
    AgentRefusal first, last;
};

// A container that a name of the program reaches, as it was while memory grew. The first is the
// one that had grown most since the look before.
struct AgentKeeper {
    std::int64_t time;                  // 0: none
    std::uint64_t items, bytes, grown;  // bytes are estimates
    // 1: it holds tensors that keep their graphs, 2: models whose memory is not Python's, 3: views,
    // small parts of arrays that they keep (`bytes` are those of the arrays).
    std::uint32_t graphs;
    std::uint32_t reserved;
    char name[96];  // "self.history", "batches", "log[\"loss\"]"
    char kind[32];  // its type
    char file[200];
};
static_assert(sizeof(AgentKeeper) == 368);
inline constexpr std::uint32_t agent_keepers = 3;

// Live memory by site at a moment that counts: afterwards, while it unwinds, the program frees most
// of it. The last one of each kind is kept.
enum class AgentSnapshotKind : std::uint32_t { refusal = 0, exception = 1 };
inline constexpr std::uint32_t agent_snapshots = 2;
struct AgentSnapshot {
    std::int64_t time;         // 0: none
    std::uint64_t live_bytes;  // of all sites together
    std::uint32_t live_kib[agent_site_capacity];
};
struct AgentSnapshotBlocks {
    std::uint16_t live[agent_site_capacity];  // 65,535 means that many or more
};

// GPU kernels, by kernel and line, that were launched since the GPU last worked for certain. Stored
// when an error on the GPU appears.
enum AgentLaunchFlags : std::uint32_t {
    launch_borrowed = 1,  // by a thread without Python: the line that launched last
};
struct AgentLaunch {
    std::uint16_t kernel;  // a frame without a file, whose function is the kernel's short name
    std::uint16_t frame;   // the program's own line; `no_frame`: none
    std::uint32_t count;
    std::uint32_t first;  // orders the first launches
    std::uint32_t flags;
};
static_assert(sizeof(AgentLaunch) == 16);

enum AgentLaunchesFlags : std::uint32_t {
    launches_elsewhere = 1,  // other libraries launch kernels, too
    launches_of_graphs = 2,  // graphs were launched; their kernels are not seen
};
inline constexpr std::uint32_t agent_launch_rows = 150;
struct AgentLaunches {
    std::int64_t time;  // 0: none
    std::uint32_t count;
    std::uint32_t lost;  // launches or rows for which there was no room
    std::uint32_t flags;
    std::uint32_t reserved;
    AgentLaunch rows[agent_launch_rows];
};

inline constexpr std::uint32_t agent_frame_capacity = 1024;
inline constexpr std::uint32_t agent_text_capacity = 32U << 10U;

struct AgentSlot {
    // Identity; written when a process takes the slot.
    std::int32_t pid;
    std::uint32_t generation;  // counts the processes that took it
    std::uint64_t start_ticks;
    std::int64_t taken;                                      // 0: the slot was never taken
    std::int64_t ended;                                      // set at a clean end; else 0
    std::uint32_t python_major, python_minor, python_micro;  // 0: not known
    std::uint32_t python_flags;                              // 1 free-threaded, 2 lines readable
    std::int64_t cell_turned;  // when a notebook's cell last began or ended; 0: never
    std::int64_t visit_asked;  // time of a visit that was asked for and has not come; else 0
    std::uint64_t reserved[6];

    AgentPlace place;
    AgentExit exit;
    AgentSignal signals[agent_signals];
    std::uint64_t signals_written;
    AgentException exceptions[agent_exceptions];
    std::uint64_t exceptions_written;
    AgentNote notes[agent_notes];
    std::uint64_t notes_written;
    AgentSteps steps;
    AgentMemory memory;
    std::uint32_t frame_count;
    std::uint32_t text_size;
    AgentFrame frames[agent_frame_capacity];
    char text[agent_text_capacity];
    AgentGuard guard;
    AgentKeeper keepers[agent_keepers];
    AgentSnapshot snapshots[agent_snapshots];  // by AgentSnapshotKind
    AgentLaunches launches;
    AgentSnapshotBlocks snapshot_blocks[agent_snapshots];
};
inline constexpr std::size_t agent_slot_space = 156U << 10U;
static_assert(sizeof(AgentSlot) <= agent_slot_space);

// The page behind the header: which process holds which slot. 0 is free; else the pid, and above it
// the generation. A process takes a slot by compare-and-swap from 0 and gives it back at a clean
// end; its contents stay until the next process clears them.
struct AgentIndex {
    std::uint64_t owner[agent_slots];
    std::uint64_t refused;  // processes for which there was no free slot
    std::uint64_t reserved[7];
};
inline constexpr std::size_t agent_index_offset = header_space;
inline constexpr std::size_t agent_slots_offset = 2 * header_space;
inline constexpr std::size_t agent_box_size = agent_slots_offset + agent_slots * agent_slot_space;
static_assert(sizeof(AgentIndex) <= header_space);
static_assert(agent_slot_space % header_space == 0);

// ---- crash.box ----

inline constexpr std::uint32_t crash_slots = 4;

enum class CrashState : std::uint32_t {
    empty = 0,
    writing = 1,  // the process died while writing: the sizes tell what is valid
    complete = 2,
    survived = 3,  // the program's own handler dealt with it, and the program went on
};

enum class CrashMachine : std::uint32_t { none = 0, x86_64 = 1, aarch64 = 2 };

// Text parts consist of lines. modules: "start-end offset inode path" in hex and bytes as in
// /proc/PID/maps, executable mappings only. python: "T tid name" begins a thread, the faulting one
// first, then "F line\tfile\tfunction", innermost first. threads: "tid pc name", pc in hex or "-".
// native: the unwound stack, "address\tlibrary\tsymbol\toffset\tfile:line", innermost first.
struct Crash {
    CrashState state;
    std::int32_t pid, tid;
    std::int32_t signal, code, error;
    std::int32_t sender_pid, sender_uid;  // for signals that were sent
    std::uint64_t start_ticks;
    std::int64_t time;
    std::uint64_t address;
    CrashMachine machine;
    std::uint32_t register_count;
    std::uint64_t registers[40];  // x86_64: gregset_t order; aarch64: x0-x30, sp, pc, pstate
    std::uint64_t pc, sp;
    std::uint64_t stack_low, stack_high;  // of the faulting thread; 0 unknown
    std::uint64_t stack_copy_from;        // address of stack[0]
    std::uint32_t instruction_size;
    unsigned char instruction[16];  // at pc
    char thread[32];
    char exception_type[256];  // uncaught C++ exception, mangled name
    char exception_what[1024];
    std::uint32_t abort_size, unread_size, modules_size, python_size, threads_size, native_size,
        stack_size;
    std::uint32_t unwound;  // 1: `native` is final and the stack copy erased
    char abort_text[2048];  // glibc's last message
    char unread[8192];      // written to a redirected stderr, but never read
    char modules[48U << 10U];
    char python[40U << 10U];
    char threads[8U << 10U];
    char native[24U << 10U];
    unsigned char stack[96U << 10U];
};
inline constexpr std::size_t crash_slot_space = 240U << 10U;
static_assert(sizeof(Crash) <= crash_slot_space);

struct CrashIndex {
    std::uint32_t taken;  // crashes so far; the first `crash_slots` are kept
    std::uint32_t reserved[15];
};
inline constexpr std::size_t crash_index_offset = header_space;
inline constexpr std::size_t crash_slots_offset = 2 * header_space;
inline constexpr std::size_t crash_box_size = crash_slots_offset + crash_slots * crash_slot_space;

}  // namespace holdfast::format
