// What one process held over time, by line, as its agent measured it. Plain figures: what grows is
// judged from them in diagnose/growth/, today or from a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "model/verdict.h"

namespace holdfast {

// The end of a stretch of time; together they cover the whole life of the process.
struct MemoryWindow {
    Nanos end{};  // since the run's start
    std::uint64_t step = 0;
    std::optional<Bytes> resident, gpu_allocated;
};

// One stack that memory was asked for from.
struct SiteHistory {
    std::vector<std::uint32_t> stack;  // numbers of MemoryHistory::frames, outermost first
    bool gpu = false;
    bool foreign = false;        // an import's, or of stacks that found no room: tells no line
    bool borrowed = false;       // from a thread without Python frames: the main thread's line
    bool small_objects = false;  // Python's own, in arenas
    bool unseen = false;         // found resident; nobody saw it being asked for
    Bytes live, peak, asked;     // asked: ever, and perhaps given back
    Bytes error;                 // one standard deviation of `live`
    std::uint64_t blocks = 0;    // live, of those that were looked at
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
    std::optional<Nanos> latest;        // when `live` of the sites was true
    std::vector<SiteHistory> sites;
    std::vector<GpuStep> gpu_steps;  // the last ones, where a GPU was used
};

}  // namespace holdfast
