// What the agents inside the program's processes recorded, and the records of crashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "model/verdict.h"

namespace holdfast {

// What one process held over time, by line, as its agent measured it. Plain figures:
// diagnose/growth/ judges from them what grows, in a run or in a recording.
// A stretch of time; together the windows cover the whole life of the process.
struct MemoryWindow {
    Nanos end{};  // since the run's start
    std::uint64_t step = 0;
    std::optional<Bytes> resident, gpu_allocated;
};

// A stack from which memory was requested.
struct SiteHistory {
    std::vector<std::uint32_t> stack;  // numbers of MemoryHistory::frames, outermost first
    bool gpu = false;
    bool foreign = false;        // from an import, or from stacks that found no room: names no line
    bool borrowed = false;       // from a thread without Python frames: the main thread's line
    bool small_objects = false;  // Python's own, in arenas
    bool unseen = false;         // found resident; nobody saw the request
    Bytes live, peak, asked;     // asked: in all, including what was given back
    Bytes error;                 // one standard deviation of `live`
    std::uint64_t blocks = 0;    // live blocks, of the sampled ones
    std::vector<Bytes> at_windows;
};

struct GpuStep {
    Nanos time{};
    std::uint64_t number = 0;
    std::optional<Bytes> allocated;
};

struct MemoryHistory {
    std::vector<Frame> frames;
    std::vector<MemoryWindow> windows;  // oldest first
    std::optional<Nanos> latest;        // at which `live` of the sites was read
    std::vector<SiteHistory> sites;
    std::vector<GpuStep> gpu_steps;  // the last ones, where a GPU was used
};

// What the agents inside the program's processes recorded, and the records of crashes.
// Nanoseconds on the monotonic clock since the run's start; negative before it.
using RunTime = Nanos;

// A figure that grew steadily until the end. See diagnose/growth/growth.h for what counts.
struct GrowthSeen {
    Bytes in_all;
    std::optional<std::uint64_t> steps;              // over how many steps
    std::optional<double> per_step, per_step_error;  // bytes; the error is one standard deviation
    double per_minute = 0;                           // bytes
    int windows = 0;                                 // in how many windows it was measured
};

struct SiteEvidence {
    std::vector<Frame> frames;  // outermost first, as everywhere
    Bytes live, peak;
    Bytes error;            // one standard deviation of `live`
    bool borrowed = false;  // from a thread without Python frames: the main thread's line
    bool small_objects = false;
    std::optional<Bytes> before_steps;  // live when the first step ended
    std::uint64_t blocks = 0;           // live blocks, of the sampled ones
    std::optional<GrowthSeen> growth;
    std::optional<int> rises;  // windows in which it rose notably
};

// Everything that grows, charged to the innermost line of the user's own code that has most of it.
struct LeakEvidence {
    std::vector<Frame> frames;  // outermost first, down to that line
    Bytes live;
    std::optional<Bytes> error;  // as MemorySite's
    bool borrowed = false;
    bool several_lines = false;  // several lines below it request the memory
    GrowthSeen growth;
};

struct ExceptionEvidence {
    RunTime time{};
    bool in_main_thread = false;
    std::string thread, type, message;
    std::vector<std::string> causes;  // "ValueError: text" of each chained one, nearest first
    std::vector<Frame> frames;        // outermost first
};

struct ExitCallEvidence {
    enum class How { sys_exit, os_exit, c_exit };
    RunTime time{};
    How how = How::sys_exit;
    int status = 0;
    std::vector<Frame> frames;  // outermost first; empty: not from Python
};

struct NoteEvidence {
    enum class Kind {
        warning,
        shutdown_request,
        cell,
        cuda_oom,
        hook_failed,
        framework,
        kept_tensors,
        nonfinite,
        validation,
        collector_off
    };
    Kind kind = Kind::warning;
    RunTime time{};
    std::int64_t a = 0, b = 0;
    std::string text;
};

// What counted the steps: as the agent's hooks call it.
inline constexpr std::string_view steps_of_scikit_learn = "sklearn partial_fit";
inline constexpr std::string_view steps_of_torch = "torch optimizer";
inline constexpr std::string_view steps_of_keras = "keras fit";
inline constexpr std::string_view steps_of_program = "holdfast.step()";

struct StepsEvidence {
    std::uint64_t count = 0;
    std::uint64_t epoch = 0;
    std::string source;  // one of the above
    std::optional<RunTime> first, last;
    std::optional<Nanos> usual, longest;                 // from one step to the next
    std::optional<Nanos> recent_median, recent_slowest;  // of the last steps; the 90th percentile
    std::optional<std::uint64_t> first_nonfinite;        // from 1
    std::optional<double> last_finite_loss;
    std::optional<Bytes> gpu_allocated_last;
    std::optional<GrowthSeen> gpu_growth;
};

// An allocation that the guard refused, or would have refused in the mode that only warns.
struct RefusalEvidence {
    enum class Kind { refused, too_large, nothing_left, brink };
    Kind kind = Kind::refused;
    RunTime time{};
    Bytes asked, room, limit;
    std::vector<Frame> frames;  // outermost first
};

struct GuardEvidence {
    std::uint64_t refused = 0, warned = 0;
    RefusalEvidence last;
};

// A container that a name reaches, as it was seen while memory grew.
struct KeeperEvidence {
    RunTime time{};
    std::string name, kind, file;
    std::uint64_t items = 0;
    Bytes live, grown;             // estimates; `grown` since the look before
    bool graphs = false;           // it holds tensors that keep their graphs
    bool unweighed = false;        // it holds models whose memory is not Python's
    std::optional<int> filled_at;  // the only line of `file` that puts something into it
    bool views = false;            // it holds small parts of arrays, and so keeps all of them
};

// A GPU kernel and a line that launched it.
struct LaunchEvidence {
    std::string kernel;         // its short name; empty: not known
    std::optional<Frame> line;  // of the user's own code
    bool borrowed = false;      // by a thread without Python: the line that launched last
    std::uint64_t count = 0;
};

// The launches since the last successful wait for the GPU, recorded when an error appeared.
struct LaunchesEvidence {
    RunTime time{};
    bool all_seen = false;             // of torch's own kernels; false: some found no room
    bool elsewhere = false;            // other libraries launch kernels, too
    bool graphs = false;               // some were hidden in graphs
    std::vector<LaunchEvidence> rows;  // by their first launches
};

// A signal that reached the program through the supervisor, or one process by itself.
struct SignalSeen {
    RunTime time{};
    int number = 0;
    std::optional<int> sender_pid;  // 0: the kernel, or a process outside our pid namespace
    std::optional<int> sender_uid;
    std::string sender;        // its command, masked; may be empty
    bool from_kernel = false;  // a terminal key, a hang-up
    bool whole_group = false;  // the program got its own copy, so it was not forwarded
};

struct AgentEvidence {
    int pid = 0;
    RunTime taken{};
    std::optional<RunTime> ended;  // the agent saw a clean end
    std::string python;            // "3.11.7"; empty: no Python in this process
    bool lines_readable = false;
    std::optional<RunTime> place_time;
    std::vector<Frame> place;              // of the main thread when last asked, outermost first
    std::optional<RunTime> no_line_since;  // since then it was in a single call of compiled code
    std::optional<ExitCallEvidence> exit;
    std::vector<ExceptionEvidence> exceptions;  // uncaught; oldest first
    std::vector<NoteEvidence> notes;
    std::vector<SignalSeen> signals;  // sent to this process by others; oldest first
    StepsEvidence steps;
    Bytes live, peak;                     // of all sites together
    std::optional<MemoryHistory> memory;  // absent in recordings of older versions
    // Judged from the history (diagnose/growth/), as `steps.gpu_growth` is; without a history, as
    // judged when it was recorded.
    std::vector<SiteEvidence> sites;  // the largest first
    std::optional<LeakEvidence> leak;
    std::optional<GuardEvidence> guard;
    std::vector<KeeperEvidence> keepers;  // the one that grew most first
    std::optional<LaunchesEvidence> launches;
};

// The Python threads of a process as the supervisor last read them, from outside.
struct StacksEvidence {
    int pid = 0;
    RunTime time{};
    std::vector<PythonStack> threads;  // the main thread first
};

// Threads that were inside a native library when another thread crashed in it.
struct SharedLibraryUse {
    std::string library;
    int threads = 0;
};

struct CrashEvidence {
    int pid = 0;
    std::string thread;  // which crashed
    RunTime time{};
    int signal = 0;
    int code = 0;
    bool finished = false;                      // the handler finished the record
    bool survived = false;                      // the program's own handler dealt with it
    std::optional<int> sender_pid, sender_uid;  // of a signal that was sent
    std::optional<std::uint64_t> address;
    std::vector<NativeFrame> native;  // innermost first
    std::vector<PythonStack> python;  // the crashed thread first
    std::string instruction;          // "62 f1 7c 48": the bytes at the fault
    std::string exception_type;       // of an uncaught C++ exception, readable
    std::string exception_what;
    std::string abort_text;  // glibc's last message
    std::string unread;      // written to a redirected stderr, but never read
    // Facts derived from the record.
    std::string library;  // in which it crashed
    bool in_stack_guard = false;
    bool frames_repeat = false;
    bool near_null = false;
    bool in_allocator = false;          // malloc or free are on top of the stack
    std::vector<std::string> runtimes;  // of which only one should be mapped: "libgomp.so.1"
    std::string mapped_file;            // the file that the fault's address is in
    std::vector<SharedLibraryUse> shared;
};

}  // namespace holdfast
