// Time as the black box writes it: CLOCK_MONOTONIC nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace holdfast::agent {

inline std::int64_t now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace holdfast::agent
