#include "fit/replay/replay.h"

#include <algorithm>
#include <ctime>
#include <vector>

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

namespace {

// CPU time of this thread: other programs on the machine must not make us look slower.
Nanos cpu_now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

template <class Work>
std::vector<Nanos> times_of(Work work, Nanos budget) {
    std::vector<Nanos> times;
    for (Nanos spent{}; times.size() < 3 || spent < budget; spent += times.back()) {
        const Nanos started = cpu_now();
        work();
        times.push_back(cpu_now() - started);
    }
    return times;
}

Nanos median(std::vector<Nanos> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

std::uint64_t steps_in(const Capture& capture, const Program& program) {
    return static_cast<std::uint64_t>(std::ranges::count_if(program.moves, [&](const Move& move) {
        return move.kind == Move::Kind::mark && capture.marks[move.storage] == "step";
    }));
}

}  // namespace

Speed measure_speed(const Capture& capture, const Workspaces& workspaces,
                    const ReplayOptions& options, Nanos budget) {
    Program program;
    Speed speed;
    speed.compile = median(times_of([&] { program = compile(capture, workspaces); }, budget / 4));
    const auto times = times_of([&] { speed.replayed = replay(program, options); }, budget);
    speed.moves = program.moves.size();
    speed.steps = steps_in(capture, program);
    speed.replays = times.size();
    speed.replay = median(times);
    return speed;
}

}  // namespace holdfast::fit
