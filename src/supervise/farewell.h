// What the supervisor leaves for its sentry, in memory that both share.
#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast {

enum class Farewell : std::uint32_t {
    none = 0,      // gone without one: killed
    ended = 1,     // the run is over
    crashing = 2,  // a fault of our own
};

struct FarewellPage {
    std::atomic<Farewell> farewell;
    std::atomic<std::uint64_t> oom_kills;  // of /proc/vmstat, at the last look
};

}  // namespace holdfast
