#include "native/cycle.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::size_t longest_period = 48;
constexpr std::size_t least_frames = 16;

}  // namespace

std::optional<FrameCycle> find_cycle(std::span<const std::uint64_t> pcs, std::size_t least_rounds) {
    std::optional<FrameCycle> best;
    const std::size_t most = std::min(longest_period, pcs.size() / least_rounds);
    for (std::size_t period = 1; period <= most; ++period) {
        std::size_t begin = 0;
        for (std::size_t i = 0; i + period <= pcs.size(); ++i) {
            if (i + period < pcs.size() && pcs[i] == pcs[i + period]) continue;
            const FrameCycle found{begin, period, i + period};
            const std::size_t length = found.end - found.begin;
            begin = i + 1;
            if (length < std::max(least_frames, period * least_rounds)) continue;
            // A multiple of a period repeats, too: keep the shorter one, which is found first.
            if (!best || length > best->end - best->begin + 2 * period) best = found;
        }
    }
    return best;
}

}  // namespace holdfast
