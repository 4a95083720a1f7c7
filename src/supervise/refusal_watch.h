// A program that is stuck because the guard refused it memory: the error was not handled, and other
// threads or processes wait for the one that got it. Without the guard it would have been killed.
#pragma once

#include <optional>

#include "base/time.h"
#include "supervise/stall_watch.h"

namespace holdfast {

class RefusalWatch {
public:
    // After a refusal, a proven standstill is reported after this long.
    static constexpr Nanos patience = std::chrono::seconds(10);

    // News of the stall watch. True: the program has not moved since the refusal, as it seems
    // because of it; once for each standstill.
    bool on_stall(Nanos now, const StallNews& news, std::optional<Nanos> refused);
    // True, once: the grace is over, and it still does not move.
    bool should_end(Nanos now, std::optional<Nanos> grace);

private:
    std::optional<Nanos> stuck_;  // reported then
    bool ended_ = false;
};

}  // namespace holdfast
