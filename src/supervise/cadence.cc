#include "supervise/cadence.h"

#include <algorithm>
#include <chrono>

namespace holdfast {

Nanos Cadence::next(Nanos since_start, Nanos now, std::optional<Bytes> headroom) {
    const Nanos longest = since_start < start_period ? starting : calm;
    if (headroom && last_headroom_ && now > last_look_) {
        const double climbed = static_cast<double>((*last_headroom_ - *headroom).count);
        const double rate = climbed / seconds(now - last_look_);
        bytes_per_second_ = std::max(rate, bytes_per_second_ * 0.8);
    }
    last_headroom_ = headroom;
    last_look_ = now;
    if (!headroom || bytes_per_second_ < 1.0) return longest;
    const double seconds_left = static_cast<double>(headroom->count) / bytes_per_second_;
    if (seconds_left > 1000) return longest;
    const auto wanted =
        std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(seconds_left / 20));
    return std::clamp(wanted, fastest, longest);
}

namespace {

using namespace std::chrono_literals;

constexpr Nanos apart = 1s;
constexpr Nanos shortest = 10s;
constexpr Nanos longest = 20s;
constexpr Nanos soon = 10min;

// Bytes a second that were lost; not positive if as much is left as before, or more.
double pace(Nanos from, Bytes before, Nanos to, Bytes after) {
    const double lost = static_cast<double>(before.count) - static_cast<double>(after.count);
    return to > from ? lost / seconds(to - from) : 0;
}

}  // namespace

std::optional<Nanos> FillForecast::add(Nanos now, Bytes headroom) {
    if (!points_.empty() && now - points_.back().time < apart) return std::nullopt;
    points_.push_back({now, headroom});
    while (now - points_.front().time > longest) points_.pop_front();
    const Point& first = points_.front();
    if (now - first.time < shortest) return std::nullopt;
    const Point& middle = points_[points_.size() / 2];
    const double earlier = pace(first.time, first.headroom, middle.time, middle.headroom);
    const double later = pace(middle.time, middle.headroom, now, headroom);
    // A single jump is no climb, and neither is a climb that flattens.
    if (earlier <= 0 || later < earlier / 2 || later > earlier * 2) return std::nullopt;
    const double left = static_cast<double>(headroom.count) / later;
    if (left > seconds(soon)) return std::nullopt;
    return Nanos(static_cast<std::int64_t>(left * 1e9));
}

}  // namespace holdfast
