#include "base/time.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

TEST(Time, WallTimeReadsAsRfc3339) {
    EXPECT_EQ(rfc3339(0ns), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(rfc3339(1794716687s + 120ms), "2026-11-15T04:24:47.120Z");
}

TEST(Time, DurationsReadAsPeopleSayThem) {
    EXPECT_EQ(human(850ms), "850 ms");
    EXPECT_EQ(human(12300ms), "12.3 s");
    EXPECT_EQ(human(Nanos(250s)), "4 min 10 s");
    EXPECT_EQ(human(Nanos(10920s)), "3 h 02 min");
}

TEST(Time, TheMonotonicClockDoesNotGoBack) {
    const Nanos before = monotonic_now();
    EXPECT_LE(before, monotonic_now());
}

}  // namespace
}  // namespace holdfast
