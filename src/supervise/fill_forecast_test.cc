#include "supervise/fill_forecast.h"

#include <gtest/gtest.h>

#include <functional>

namespace holdfast {
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
