#include "fit/replay.h"

namespace holdfast::fit {

Replayed replay(const Program& program, const ReplayOptions& options,
                const std::function<void(std::uint32_t, const AllocatorStats&)>& at_mark) {
    CachingAllocator allocator(options.allocator, options.limit, program.storages);
    Replayed result;
    Bytes peak;
    for (std::size_t i = 0; i < program.moves.size(); ++i) {
        const Move& move = program.moves[i];
        switch (move.kind) {
            case Move::Kind::allocate:
                if (!allocator.allocate(move.storage, move.size)) {
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
            case Move::Kind::free:
                allocator.free(move.storage);
                break;
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

}  // namespace holdfast::fit
