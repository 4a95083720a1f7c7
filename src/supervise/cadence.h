// When to look again, depending on how fast memory fills: at the machine, and for a leak.
#pragma once

#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/time.h"

namespace holdfast {

// How soon to look again: rarely when memory is calm, often when it climbs towards its limit.
class Cadence {
public:
    static constexpr Nanos fastest = std::chrono::milliseconds(10);
    static constexpr Nanos calm = std::chrono::milliseconds(500);
    // A program just started is the most likely to die, and the least known.
    static constexpr Nanos starting = std::chrono::milliseconds(50);
    static constexpr Nanos lively = std::chrono::milliseconds(20);
    static constexpr Nanos start_period = std::chrono::seconds(3);

    // Call after every look, with the memory that is left before somebody is killed. At the present
    // rate there are then at least twenty looks before it is used up.
    Nanos next(Nanos since_start, Nanos now, std::optional<Bytes> headroom);

private:
    std::optional<Bytes> last_headroom_;
    Nanos last_look_{};
    double bytes_per_second_ = 0;  // of climb; the recent maximum, decaying
};

// When memory will be full, at the pace of the last moments. Pure; it only says when to look for a
// leak, because a program that loads its data also grows steadily for a while.
class FillForecast {
public:
    // Call at every look. Nothing if memory does not climb steadily, or would last long.
    std::optional<Nanos> add(Nanos now, Bytes headroom);

private:
    struct Point {
        Nanos time{};
        Bytes headroom;
    };
    std::deque<Point> points_;
};

}  // namespace holdfast
