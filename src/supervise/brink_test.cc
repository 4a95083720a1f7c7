#include "supervise/brink.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using std::chrono::milliseconds;
using Call = BrinkPace::Call;
constexpr Bytes limit = Bytes::mib(512);

TEST(BrinkPace, FarFromTheLimitItAsksForNothing) {
    BrinkPace pace;
    const auto step = pace.next(milliseconds(1), Bytes::mib(100), limit, std::nullopt);
    EXPECT_FALSE(step.look_again);
    EXPECT_EQ(step.call, Call::none);
}

TEST(BrinkPace, WhoSitsNearTheLimitIsLookedAtSlowlyAndNeverCalled) {
    BrinkPace pace;
    for (int i = 0; i < 10; ++i) {
        const auto step = pace.next(milliseconds(50 * i), Bytes::mib(1), limit, std::nullopt);
        EXPECT_EQ(step.look_again, BrinkPace::slowest);
        EXPECT_EQ(step.call, Call::none);
    }
}

TEST(BrinkPace, TheFasterItGrowsTheSoonerTheNextLook) {
    BrinkPace slow;
    slow.next(milliseconds(0), Bytes::mib(24), limit, std::nullopt);
    const auto later = slow.next(milliseconds(100), Bytes::mib(23), limit, std::nullopt);
    BrinkPace fast;
    fast.next(milliseconds(0), Bytes::mib(31), limit, std::nullopt);
    const auto soon = fast.next(milliseconds(10), Bytes::mib(23), limit, std::nullopt);
    ASSERT_TRUE(later.look_again && soon.look_again);
    EXPECT_LT(*soon.look_again, *later.look_again);
    EXPECT_GE(*soon.look_again, BrinkPace::fastest);
}

TEST(BrinkPace, BelowTheFloorItCallsWhileItGrowsAndOnlyThen) {
    BrinkPace pace;
    pace.next(milliseconds(0), Bytes::mib(5), limit, std::nullopt);
    EXPECT_EQ(pace.next(milliseconds(2), Bytes::mib(3), limit, std::nullopt).call, Call::now);
    EXPECT_EQ(pace.next(milliseconds(4), Bytes::mib(3), limit, std::nullopt).call, Call::none);
    EXPECT_EQ(pace.next(milliseconds(6), Bytes::mib(2), limit, std::nullopt).call, Call::now);
}

TEST(BrinkPace, FastGrowthIsAnnouncedBeforeTheFloor) {
    BrinkPace fast;
    fast.next(milliseconds(0), Bytes::mib(12), limit, std::nullopt);
    EXPECT_EQ(fast.next(milliseconds(2), Bytes::mib(8), limit, std::nullopt).call, Call::soon);
    BrinkPace slow;
    slow.next(milliseconds(0), Bytes::mib(12), limit, std::nullopt);
    EXPECT_EQ(slow.next(milliseconds(2000), Bytes::mib(8), limit, std::nullopt).call, Call::none);
}

TEST(BrinkPace, TheFloorIsTheReserveWhereTheUserHasSetOne) {
    EXPECT_EQ(BrinkPace::floor_of(limit, Bytes::mib(20)), Bytes::mib(20));
    EXPECT_LT(BrinkPace::floor_of(limit, std::nullopt), Bytes::mib(8));
}

}  // namespace

}  // namespace holdfast
