#include "fit/replay/speed.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace holdfast::fit {
namespace {

// This thread's own time: another program on the machine does not make us slower here.
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
