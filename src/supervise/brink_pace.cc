#include "supervise/brink_pace.h"

#include <algorithm>

namespace holdfast {

Bytes BrinkPace::floor_of(Bytes limit, std::optional<Bytes> reserve) {
    if (reserve) return *reserve;
    // As agent/guard/kept_back.h has it, file pages left aside.
    const Bytes share = std::clamp(Bytes{limit.count / 160}, Bytes::mib(1), Bytes::mib(32));
    const Bytes files = std::min(Bytes{limit.count / 80}, Bytes::mib(32));
    return std::max(share, files);
}

BrinkPace::Step BrinkPace::next(Nanos now, Bytes room, Bytes limit, std::optional<Bytes> reserve) {
    bool grew = false;
    if (last_room_ && now > last_look_) {
        grew = room < *last_room_;
        const double climbed = grew ? static_cast<double>((*last_room_ - room).count) : 0;
        bytes_per_second_ = std::max(climbed / seconds(now - last_look_), bytes_per_second_ * 0.9);
    }
    last_room_ = room;
    last_look_ = now;
    if (room >= zone_of(limit)) return {};
    const Bytes floor = floor_of(limit, reserve);
    Step step{slowest, grew && room < floor ? Call::now : Call::none};
    if (bytes_per_second_ < 1.0) return step;
    // A quarter of the time that is left, at the rate of growth.
    const double left = room > floor ? static_cast<double>((room - floor).count) : 0;
    const double wait = left / bytes_per_second_ / 4;
    if (grew && step.call == Call::none && left < bytes_per_second_ * seconds(ahead))
        step.call = Call::soon;
    if (wait < seconds(slowest))
        step.look_again = std::max<Nanos>(
            std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(wait)), fastest);
    return step;
}

}  // namespace holdfast
