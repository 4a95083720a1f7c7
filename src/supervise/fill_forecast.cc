#include "supervise/fill_forecast.h"

#include <chrono>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Nanos apart = 1s;
constexpr Nanos shortest = 10s;
constexpr Nanos longest = 20s;
constexpr Nanos soon = 10min;

// Bytes a second; not positive: there is as much left as before, or more.
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
    // A single jump is not a climb, and a climb that flattens is not, either.
    if (earlier <= 0 || later < earlier / 2 || later > earlier * 2) return std::nullopt;
    const double left = static_cast<double>(headroom.count) / later;
    if (left > seconds(soon)) return std::nullopt;
    return Nanos(static_cast<std::int64_t>(left * 1e9));
}

}  // namespace holdfast
