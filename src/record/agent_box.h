// agent.box: made by the supervisor, filled by the agents inside the program's processes, read by a
// reader that trusts none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "record/agent_format.h"
#include "record/box_file.h"
#include "record/guard_format.h"

namespace holdfast {

class AgentBox {
public:
    // Creates an empty box. Agents find it by its name, so without a directory it stays empty.
    static Result<AgentBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    int fd() const { return file_.fd(); }

private:
    MappedFile file_;
};

struct AgentFrameText {
    std::string file;
    std::string function;
    std::optional<int> line;
};

// Numbers of frames in AgentRecord::frames, innermost first.
using FrameNumbers = std::vector<std::uint16_t>;

struct AgentSiteRecord {
    FrameNumbers stack;
    std::uint32_t flags = 0;  // format::AgentSiteFlags
    std::uint64_t live_blocks = 0;
    std::uint64_t live_bytes = 0, peak_bytes = 0, total_bytes = 0;
    std::uint64_t error_bytes = 0;              // one standard deviation of live_bytes
    std::vector<std::uint64_t> live_at_window;  // bytes, one per window
};

struct AgentExceptionRecord {
    std::int64_t time = 0;
    std::int32_t tid = 0;
    bool in_main_thread = false;
    std::string thread, type, message, causes;
    FrameNumbers frames;
};

struct AgentExitRecord {
    std::int64_t time = 0;
    format::AgentExitKind kind{};
    std::int32_t status = 0;
    FrameNumbers stack;
};

struct AgentSignalRecord {
    std::int64_t time = 0;
    std::int32_t number = 0, code = 0, sender_pid = 0, sender_uid = 0;
    std::string sender;
};

struct AgentNoteRecord {
    std::int64_t time = 0;
    format::AgentNoteKind kind{};
    std::int64_t a = 0, b = 0;
    std::string text;
};

struct AgentStepRecord {
    std::int64_t time = 0;
    std::uint64_t number = 0;
    std::optional<std::uint64_t> gpu_allocated, gpu_reserved;
    std::optional<double> loss;
};

struct AgentStepsRecord {
    std::uint64_t count = 0, epoch = 0;
    std::int64_t first = 0, last = 0;        // 0 never
    std::uint64_t first_nonfinite_step = 0;  // from 1; 0 never
    std::uint64_t usual_ns = 0, longest_ns = 0;
    std::string source;
    std::vector<AgentStepRecord> last_steps;  // oldest first
};

struct AgentSnapshotRecord {
    format::AgentSnapshotKind kind{};
    std::int64_t time = 0;
    std::uint64_t live_bytes = 0;
    std::vector<std::uint64_t> live;    // bytes, one per site
    std::vector<std::uint32_t> blocks;  // one per site
};

struct AgentMemoryRecord {
    std::uint64_t live_bytes = 0, peak_bytes = 0, arena_bytes = 0;
    std::vector<format::AgentWindow> windows;  // oldest first, times rising
    std::vector<AgentSiteRecord> sites;        // those that ever held memory
    std::vector<AgentSnapshotRecord> snapshots;
};

struct AgentRefusalRecord {
    std::int64_t time = 0;
    std::uint64_t asked = 0, room = 0, limit = 0;
    format::GuardEventKind kind{};
    FrameNumbers stack;
};

// What the guard refused in one process, or would have refused in the mode that only warns.
struct AgentGuardRecord {
    std::uint64_t refused = 0, warned = 0;
    std::optional<AgentRefusalRecord> first, last;
};

struct AgentKeeperRecord {
    std::int64_t time = 0;
    std::uint64_t items = 0, bytes = 0, grown = 0;
    bool graphs = false, unweighed = false, views = false;
    std::string name, kind, file;
};

struct AgentLaunchRecord {
    std::string kernel;                 // its short name
    std::optional<std::uint16_t> line;  // frame number; nothing: not known
    bool borrowed = false;
    std::uint64_t count = 0;
};

// What was launched on the GPU since the last successful wait for it.
struct AgentLaunchesRecord {
    std::int64_t time = 0;
    bool all_seen = false;                // there was room for every row
    bool elsewhere = false;               // other libraries launch kernels, too
    bool graphs = false;                  // some were hidden in graphs
    std::vector<AgentLaunchRecord> rows;  // by their first launches
};

// What the agent recorded about one process. Times are monotonic, as everywhere in the record.
struct AgentRecord {
    int pid = 0;
    std::uint64_t start_ticks = 0;
    std::int64_t taken = 0, ended = 0;  // ended: 0 except after a clean end
    std::uint32_t python_major = 0, python_minor = 0, python_micro = 0;
    bool free_threaded = false, lines_readable = false;
    std::int64_t place_time = 0;   // 0: never read
    std::int64_t visit_asked = 0;  // a visit was asked for and has not come; else 0
    FrameNumbers place;            // of the main thread
    std::optional<AgentExitRecord> exit;
    std::vector<AgentSignalRecord> signals;  // oldest first, like all of these
    std::vector<AgentExceptionRecord> exceptions;
    std::vector<AgentNoteRecord> notes;
    AgentStepsRecord steps;
    AgentMemoryRecord memory;
    AgentGuardRecord guard;
    std::vector<AgentKeeperRecord> keepers;  // the one that grew most first
    std::optional<AgentLaunchesRecord> launches;
    std::vector<AgentFrameText> frames;
};

struct AgentsRead {
    std::vector<AgentRecord> agents;
    std::uint64_t refused = 0;  // processes that found no slot
    bool truncated = false;
};

// Reads the bytes of one slot; nothing if nobody ever took it. Whatever the bytes hold, every
// number in the answer is within bounds and every text is printable; what makes no sense is left
// out.
std::optional<AgentRecord> read_agent_slot(std::span<const std::byte> bytes);

// The slots that were ever taken. Copies slot by slot: most of the file is never used.
Result<AgentsRead> read_agents(int fd);
Result<AgentsRead> read_agents(const RunDirectory& directory);

}  // namespace holdfast
