// Runs a program through the allocator's model, and measures how fast that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/time.h"
#include "fit/replay/allocator.h"
#include "fit/replay/program.h"

namespace holdfast::fit {

struct ReplayOptions {
    AllocatorOptions allocator;
    std::optional<Bytes> limit;
    std::uint32_t address_order = 0;
};

struct Replayed {
    bool out_of_memory = false;
    AllocatorStats stats;
    std::size_t refused = 0;      // convolutions that found no room for their workspace
    std::size_t peak_move = 0;    // the move at which most was allocated
    std::size_t failed_move = 0;  // the move at which it ran out
};

Replayed replay(const Program& program, const ReplayOptions& options);

// How many orders of addresses the answers are drawn from. The spread between them is luck.
inline constexpr std::uint32_t address_orders = 9;

// The replay with segments in the order that explained most measured steps (docs/fit.md), and the
// range over all orders.
struct Typical {
    Replayed told;
    Bytes least, most;  // reserved, over all orders
};
Typical typical_replay(const Program& program, ReplayOptions options);

// In how many of the orders it fits.
std::uint32_t orders_that_fit(const Program& program, ReplayOptions options,
                              std::uint32_t orders = address_orders);

// The same, and reports the counters at every mark.
Replayed replay(const Program& program, const ReplayOptions& options,
                const std::function<void(std::uint32_t label, const AllocatorStats&)>& at_mark);

// How fast captures are replayed: what makes a search over batches instant.
struct Speed {
    std::uint64_t steps = 0;  // of training in one replay
    std::uint64_t moves = 0;  // allocations, frees and marks in one replay
    std::uint64_t replays = 0;
    Replayed replayed;  // the result, the same for all replays
    Nanos replay;       // CPU time of one, the median
    Nanos compile;      // CPU time of turning a capture into moves, the median

    double steps_per_second() const {
        return replay.count() > 0 ? static_cast<double>(steps) / seconds(replay) : 0;
    }
};

// Replays for about this much CPU time, at least three times.
Speed measure_speed(const Capture& capture, const Workspaces& workspaces,
                    const ReplayOptions& options, Nanos budget);

}  // namespace holdfast::fit
