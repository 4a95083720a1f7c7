// How often to look at a cgroup that is nearly full, and when its program must be called: touched
// memory can grow by one or two gigabytes a second.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/time.h"

namespace holdfast {

class BrinkPace {
public:
    static constexpr Nanos fastest = std::chrono::milliseconds(1);
    static constexpr Nanos slowest = std::chrono::milliseconds(50);
    // A called program looks itself from then on, so that a supervisor that has to wait for the
    // processor does no harm; it should have seen a few of its own steps before the end.
    static constexpr Nanos ahead = std::chrono::milliseconds(500);
    static Bytes zone_of(Bytes limit) { return {limit.count / 8}; }

    // Below it the program has grown by more than the guard inside it has granted. The guard has a
    // figure of its own, which is a little lower, and decides.
    static Bytes floor_of(Bytes limit, std::optional<Bytes> reserve);

    enum class Call : std::uint8_t {
        none,
        soon,  // at this rate the floor will be reached before the next looks
        now,   // less than the floor is left, and it still grows
    };
    struct Step {
        std::optional<Nanos> look_again;  // nothing: the limit is far
        Call call = Call::none;
    };
    Step next(Nanos now, Bytes room, Bytes limit, std::optional<Bytes> reserve);

private:
    std::optional<Bytes> last_room_;
    Nanos last_look_{};
    double bytes_per_second_ = 0;  // of growth, the recent maximum, fading
};

}  // namespace holdfast
