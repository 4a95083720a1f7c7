// When memory will be full, at the pace of the last moments. Pure; it only says when to look for a
// leak, because a program that loads its data also grows steadily for a while.
#pragma once

#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/time.h"

namespace holdfast {

class FillForecast {
public:
    // At every look. Nothing: it does not climb steadily, or would not be full for long.
    std::optional<Nanos> add(Nanos now, Bytes headroom);

private:
    struct Point {
        Nanos time{};
        Bytes headroom;
    };
    std::deque<Point> points_;
};

}  // namespace holdfast
