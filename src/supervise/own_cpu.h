// What our own work costs. CPU time and not the clock's: on a busy machine a moment's work may take
// seconds, and we must not look away for minutes because of that.
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
