// The cost of our own work, in CPU time and not in wall time: on a busy machine a little work may
// take seconds, and that must not make us pause for minutes.
#pragma once

#include <ctime>

#include "base/time.h"

namespace holdfast {

inline Nanos own_cpu_now() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + Nanos(used.tv_nsec);
}

}  // namespace holdfast
