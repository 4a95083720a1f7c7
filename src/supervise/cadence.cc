#include "supervise/cadence.h"

#include <algorithm>

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

}  // namespace holdfast
