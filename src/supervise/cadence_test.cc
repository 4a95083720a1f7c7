#include "supervise/cadence.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

TEST(Cadence, IsSlowWhenNothingMoves) {
    Cadence cadence;
    cadence.next(1min, 60s, Bytes::gib(8));
    EXPECT_EQ(cadence.next(1min, 61s, Bytes::gib(8)), Cadence::calm);
}

TEST(Cadence, LooksOftenAtAProgramJustStarted) {
    Cadence cadence;
    EXPECT_EQ(cadence.next(0s, 1s, std::nullopt), Cadence::starting);
    EXPECT_EQ(cadence.next(1h, 1h, std::nullopt), Cadence::calm);
}

TEST(Cadence, ASteepClimbBringsTwentyLooksBeforeTheLimit) {
    Cadence cadence;
    cadence.next(1min, 60s, Bytes::gib(4));
    // 1 GiB a second with 3 GiB left: 3 s, so a look every 150 ms
    EXPECT_EQ(cadence.next(1min, 61s, Bytes::gib(3)), Nanos(150ms));
}

TEST(Cadence, NeverFasterThanItsFastest) {
    Cadence cadence;
    cadence.next(1min, 60s, Bytes::gib(4));
    EXPECT_EQ(cadence.next(1min, 61s, Bytes::kib(4)), Cadence::fastest);
}

TEST(Cadence, ASingleDropOfUseDoesNotHideTheClimb) {
    Cadence cadence;
    cadence.next(1min, 60s, Bytes::gib(4));
    cadence.next(1min, 61s, Bytes::gib(2));
    EXPECT_LT(cadence.next(1min, 62s, Bytes::gib(3)), Cadence::calm);
}

TEST(Cadence, AClimbLongOverIsForgotten) {
    Cadence cadence;
    cadence.next(1min, 60s, Bytes::gib(4));
    Nanos now = 61s;
    Nanos interval = cadence.next(1min, now, Bytes::gib(2));
    for (int look = 0; look < 100; ++look) interval = cadence.next(1min, now += 1s, Bytes::gib(2));
    EXPECT_EQ(interval, Cadence::calm);
}

}  // namespace
}  // namespace holdfast
