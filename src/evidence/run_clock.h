// Turns the record's times into times since the run's start. The record may be forged: nothing here
// overflows, and results are bounded so that their differences cannot overflow either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/evidence.h"
#include "record/format.h"

namespace holdfast {

inline constexpr std::int64_t far_off = std::int64_t{100} * 365 * 86'400 * 1'000'000'000;

// a - b, limited to a hundred years either way.
constexpr std::int64_t bounded_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) difference = a < b ? -far_off : far_off;
    return std::clamp(difference, -far_off, far_off);
}

constexpr Nanos bounded_nanos(std::uint64_t count) {
    return Nanos(static_cast<std::int64_t>(std::min(count, static_cast<std::uint64_t>(far_off))));
}

struct RunClock {
    std::int64_t start = 0;

    RunTime at(std::int64_t time) const { return RunTime(bounded_difference(time, start)); }
    std::optional<RunTime> known(std::int64_t time) const {
        if (time == format::never) return std::nullopt;
        return at(time);
    }
};

}  // namespace holdfast
