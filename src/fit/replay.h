// Runs a program through the allocator's model.
#pragma once

#include <functional>
#include <optional>

#include "fit/allocator.h"
#include "fit/program.h"

namespace holdfast::fit {

struct ReplayOptions {
    AllocatorOptions allocator;
    std::optional<Bytes> limit;
};

struct Replayed {
    bool out_of_memory = false;
    AllocatorStats stats;
    std::size_t peak_move = 0;    // where most was allocated
    std::size_t failed_move = 0;  // where it ran out
};

Replayed replay(const Program& program, const ReplayOptions& options);

// The same, telling the counters at every mark.
Replayed replay(const Program& program, const ReplayOptions& options,
                const std::function<void(std::uint32_t label, const AllocatorStats&)>& at_mark);

}  // namespace holdfast::fit
