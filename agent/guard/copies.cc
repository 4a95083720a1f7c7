#include "agent/guard/copies.h"

#include <sys/types.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/guard/figures.h"
#include "agent/guard/headroom.h"

namespace holdfast::agent {
namespace {

pid_t loaded_in = 0;  // not wiped by fork: a child sees that its own pid differs

__attribute__((constructor)) void remember_process() { loaded_in = ::getpid(); }

// A garbage collection after an error writes to Python's objects, not to everything. The quarter is
// a guess: it was enough for a loader's workers with torch imported.
constexpr std::uint64_t part_written = 4;
// Reading smaps_rollup makes the kernel walk all pages of the process.
constexpr std::int64_t pause_for_cost = 200;
constexpr std::int64_t least_pause = 200'000'000;

}  // namespace

std::uint64_t copies_to_come(GuardState& state, std::int64_t time) {
    if (loaded_in == 0 || ::getpid() == loaded_in) return 0;
    if (time < state.copies_until.load(std::memory_order_relaxed))
        return state.copies.load(std::memory_order_relaxed);
    char text[2048];
    const std::size_t size = read_small_file("/proc/self/smaps_rollup", text, sizeof text);
    const std::uint64_t shared = figure_named({text, size}, "Shared_Dirty:");
    const std::uint64_t anonymous = figure_named({text, size}, "Anonymous:");
    std::uint64_t kilobytes = shared < anonymous ? shared : anonymous;
    if (kilobytes == no_figure) kilobytes = 0;
    const std::uint64_t copies = kilobytes / part_written * 1024;
    const std::int64_t pause = (now() - time) * pause_for_cost;
    state.copies.store(copies, std::memory_order_relaxed);
    state.copies_until.store(time + (pause > least_pause ? pause : least_pause),
                             std::memory_order_relaxed);
    return copies;
}

}  // namespace holdfast::agent
