#include "supervise/guard_duty.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using std::chrono::seconds;
constexpr StallNews stuck{StallNews::What::stuck, seconds(10)};

TEST(RefusalWatch, AStandstillRightAfterARefusalIsItsDoing) {
    RefusalWatch watch;
    EXPECT_TRUE(watch.on_stall(seconds(100), stuck, seconds(89)));
}

TEST(RefusalWatch, OneLongAfterItOrBeforeItIsNot) {
    RefusalWatch watch;
    EXPECT_FALSE(watch.on_stall(seconds(100), stuck, seconds(40)));
    EXPECT_FALSE(watch.on_stall(seconds(100), stuck, seconds(96)));
    EXPECT_FALSE(watch.on_stall(seconds(100), stuck, std::nullopt));
    EXPECT_FALSE(watch.should_end(seconds(1000), seconds(30)));
}

TEST(RefusalWatch, TheProgramIsEndedOnceWhenTheGraceIsOver) {
    RefusalWatch watch;
    watch.on_stall(seconds(100), stuck, seconds(89));
    EXPECT_FALSE(watch.should_end(seconds(129), seconds(30)));
    EXPECT_TRUE(watch.should_end(seconds(130), seconds(30)));
    EXPECT_FALSE(watch.should_end(seconds(131), seconds(30)));
}

TEST(RefusalWatch, OneThatMovesAgainIsLeftAlone) {
    RefusalWatch watch;
    watch.on_stall(seconds(100), stuck, seconds(89));
    watch.on_stall(seconds(110), {StallNews::What::moves_again, seconds(20)}, seconds(89));
    EXPECT_FALSE(watch.should_end(seconds(200), seconds(30)));
}

TEST(RefusalWatch, WithoutAGraceNobodyIsEnded) {
    RefusalWatch watch;
    watch.on_stall(seconds(100), stuck, seconds(89));
    EXPECT_FALSE(watch.should_end(seconds(9999), std::nullopt));
}

}  // namespace

}  // namespace holdfast
