#include "supervise/cadence.h"

#include <gtest/gtest.h>

#include <functional>

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

namespace {

using namespace std::chrono_literals;

std::optional<Nanos> after_half_a_minute(const std::function<std::uint64_t(std::uint64_t)>& mib) {
    FillForecast forecast;
    std::optional<Nanos> told;
    for (std::uint64_t second = 0; second <= 30; ++second)
        told = forecast.add(std::chrono::seconds(second), Bytes::mib(mib(second)));
    return told;
}

TEST(FillForecast, FollowsFromASteadyClimb) {
    const auto told = after_half_a_minute([](std::uint64_t s) { return 1000 - 10 * s; });
    ASSERT_TRUE(told);
    EXPECT_NEAR(seconds(*told), 70, 1);
}

TEST(FillForecast, SaysNothingOfAStepThatStays) {
    EXPECT_FALSE(
        after_half_a_minute([](std::uint64_t s) -> std::uint64_t { return s < 22 ? 1000 : 300; }));
}

TEST(FillForecast, SaysNothingWhereMemoryRestsOrIsGivenBack) {
    EXPECT_FALSE(after_half_a_minute([](std::uint64_t) -> std::uint64_t { return 500; }));
    EXPECT_FALSE(after_half_a_minute([](std::uint64_t s) { return 500 + 10 * s; }));
}

TEST(FillForecast, SaysNothingOfAClimbThatFlattens) {
    EXPECT_FALSE(after_half_a_minute([](std::uint64_t s) { return 400 + 6000 / (s * s + 10); }));
}

TEST(FillForecast, SaysNothingWhereThereIsRoomForLong) {
    EXPECT_FALSE(after_half_a_minute([](std::uint64_t s) { return 100'000 - 10 * s; }));
}

TEST(FillForecast, NeedsTenSeconds) {
    FillForecast forecast;
    for (std::uint64_t second = 0; second < 10; ++second)
        EXPECT_FALSE(forecast.add(std::chrono::seconds(second), Bytes::mib(1000 - 50 * second)));
}

}  // namespace

}  // namespace holdfast
