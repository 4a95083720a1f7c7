#include "fit/replay/replay.h"

#include <algorithm>

namespace holdfast::fit {

Replayed replay(const Program& program, const ReplayOptions& options,
                const std::function<void(std::uint32_t, const AllocatorStats&)>& at_mark) {
    CachingAllocator allocator(options.allocator, options.limit, program.storages,
                               options.address_order);
    Replayed result;
    Bytes peak;
    for (std::size_t i = 0; i < program.moves.size(); ++i) {
        const Move& move = program.moves[i];
        switch (move.kind) {
        case Move::Kind::allocate:
        case Move::Kind::attempt:
            if (!allocator.allocate(move.storage, move.size)) {
                if (move.kind == Move::Kind::attempt) {
                    ++result.refused;
                    break;
                }
                result.out_of_memory = true;
                result.failed_move = i;
                result.stats = allocator.stats();
                return result;
            }
            if (allocator.stats().allocated > peak) {
                peak = allocator.stats().allocated;
                result.peak_move = i;
            }
            break;
        case Move::Kind::free: allocator.free(move.storage); break;
        case Move::Kind::mark:
            if (at_mark) at_mark(move.storage, allocator.stats());
            break;
        }
    }
    result.stats = allocator.stats();
    return result;
}

Replayed replay(const Program& program, const ReplayOptions& options) {
    return replay(program, options, nullptr);
}

Typical typical_replay(const Program& program, ReplayOptions options) {
    Typical typical;
    for (options.address_order = 0; options.address_order < address_orders;
         ++options.address_order) {
        const Replayed run = replay(program, options);
        const Bytes reserved = run.stats.peak_reserved;
        if (options.address_order == 0) {
            typical = {run, reserved, reserved};
            continue;
        }
        typical.least = std::min(typical.least, reserved);
        typical.most = std::max(typical.most, reserved);
    }
    return typical;
}

std::uint32_t orders_that_fit(const Program& program, ReplayOptions options, std::uint32_t orders) {
    std::uint32_t fitting = 0;
    for (options.address_order = 0; options.address_order < orders; ++options.address_order)
        if (!replay(program, options).out_of_memory) ++fitting;
    return fitting;
}

}  // namespace holdfast::fit
