#include "diagnose/growth/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace holdfast {
namespace {

constexpr double mib = 1 << 20;

// Sixteen windows; `steps_each` steps in each, none when 0.
GrowthSeries series(const std::function<double(double)>& mib_at, std::uint64_t steps_each = 10,
                    int windows = 16) {
    GrowthSeries s;
    for (int i = 0; i < windows; ++i)
        s.points.push_back({std::chrono::seconds(i + 1),
                            steps_each * static_cast<std::uint64_t>(i + 1),
                            mib_at(static_cast<double>(i) / (windows - 1)) * mib});
    return s;
}

bool grows(const GrowthSeries& s) { return judge_growth(s, Bytes::gib(4)).has_value(); }

TEST(Growth, ALineOverManyStepsIsOne) {
    const auto seen = judge_growth(series([](double x) { return 100 + 300 * x; }), Bytes::gib(4));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->steps, 150U);
    EXPECT_NEAR(*seen->per_step, 2 * mib, 0.01 * mib);
    EXPECT_NEAR(*seen->per_step_error, 0, 0.01 * mib);
    EXPECT_NEAR(seen->per_minute, 1200 * mib, mib);
    EXPECT_EQ(seen->in_all, Bytes::mib(300));
}

TEST(Growth, WithoutStepsIsTakenOverTime) {
    const auto seen = judge_growth(series([](double x) { return 300 * x; }, 0), std::nullopt);
    ASSERT_TRUE(seen);
    EXPECT_FALSE(seen->steps);
    EXPECT_FALSE(seen->per_step);
    EXPECT_NEAR(seen->per_minute, 1200 * mib, mib);
}

TEST(Growth, WithoutStepsNeedsEightWindows) {
    const auto line = [](double x) { return 300 * x; };
    EXPECT_FALSE(grows(series(line, 0, 8)));
    EXPECT_TRUE(grows(series(line, 0, 9)));
}

TEST(Growth, NeedsTwentySteps) {
    const auto line = [](double x) { return 300 * x; };
    EXPECT_FALSE(grows(series(line, 1, 8)));  // too few for steps, too few windows for time
    EXPECT_TRUE(grows(series(line, 5, 8)));
}

TEST(Growth, ThatBeganLateNeedsAStraightLineOfManySteps) {
    const auto line = [](double x) { return 300 * x; };
    EXPECT_TRUE(grows(series(line, 30, 4)));
    EXPECT_FALSE(grows(series(line, 8, 4)));  // too few steps in each
    EXPECT_FALSE(grows(series(line, 30, 2)));
    EXPECT_FALSE(grows(series([](double x) { return x < 0.5 ? 20 * x : 300 * x; }, 30, 4)));
}

TEST(Growth, ThatEndsInALeapIsStillOne) {
    // pandas.concat in a loop: at the end the old table and half of the new one are there.
    const auto leaping = [](double x) { return x < 1 ? 100 * x : 190; };
    const auto seen = judge_growth(series(leaping, 0), Bytes::mib(256));
    ASSERT_TRUE(seen);
    EXPECT_LT(seen->in_all, Bytes::mib(100));
    EXPECT_FALSE(grows(series([](double x) { return x < 1 ? 10 : 400; }, 0)));
    EXPECT_FALSE(grows(series([](double x) { return x < 1 ? 300 * x : 0; }, 0)));
}

TEST(Growth, SurvivesItsOwnNoise) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 8);
    GrowthSeries s = series([&](double x) { return 100 + 400 * x + noise(random); });
    s.error = 8 * mib;
    const auto seen = judge_growth(s, Bytes::gib(4));
    ASSERT_TRUE(seen);
    EXPECT_NEAR(*seen->per_step, 400.0 / 150 * mib, 4 * *seen->per_step_error);
    EXPECT_GT(*seen->per_step_error, 0);
}

TEST(Growth, AfterAPlateauCounts) {
    EXPECT_TRUE(grows(series([](double x) { return x < 0.4 ? 100 : 100 + 500 * (x - 0.4); })));
}

TEST(Growth, ThatQuickensCounts) {
    EXPECT_TRUE(grows(series([](double x) { return 100 + 400 * x * x; })));
}

TEST(Growth, IsNotWarmUp) {
    EXPECT_FALSE(grows(series([](double x) { return 400 * std::min(1.0, 3 * x); })));
    EXPECT_FALSE(grows(series([](double x) { return 400 * (1 - std::exp(-5 * x)); })));
    EXPECT_FALSE(grows(series([](double x) { return 400 * (1 - std::exp(-3 * x)); })));
    EXPECT_FALSE(grows(series([](double x) { return 400 * std::min(1.0, 3 * x); }, 0)));
}

TEST(Growth, IsNotACacheThatStoppedGrowingAtTheEnd) {
    EXPECT_FALSE(grows(series([](double x) { return 400 * std::min(0.75, x); })));
}

TEST(Growth, IsNotAPlateau) {
    EXPECT_FALSE(grows(series([](double) { return 900; })));
    std::mt19937 random(9);
    std::normal_distribution<double> noise(0, 30);
    for (int i = 0; i < 200; ++i) {
        GrowthSeries s = series([&](double) { return 900 + noise(random); });
        s.error = 30 * mib;
        EXPECT_FALSE(grows(s)) << i;
    }
}

TEST(Growth, IsNotOneJump) {
    EXPECT_FALSE(grows(series([](double x) { return x < 0.5 ? 50 : 900; })));
    EXPECT_FALSE(grows(series([](double x) { return x < 0.95 ? 50 : 900; })));
    EXPECT_FALSE(grows(series([](double x) { return x < 0.5 ? 50 : 900; }, 0)));
}

TEST(Growth, IsNotASawTooth) {
    const auto teeth = [](double x) { return 100 + 600 * std::fmod(2 * x, 1.0); };
    EXPECT_FALSE(grows(series(teeth)));
    // Killed in the middle of a tooth, when it is as high as the one before.
    EXPECT_FALSE(grows(series([](double x) { return 100 + 600 * std::fmod(1.8 * x, 1.0); })));
    EXPECT_FALSE(grows(series([](double x) { return 100 + 600 * std::fmod(1.8 * x, 1.0); }, 0)));
}

TEST(Growth, DoesNotCountAJumpOnItsWay) {
    const auto seen =
        judge_growth(series([](double x) { return 200 * x + (x < 0.5 ? 0 : 250); }), Bytes::gib(4));
    ASSERT_TRUE(seen);
    EXPECT_NEAR(*seen->per_step, 200.0 / 150 * mib, 0.01 * mib);
    EXPECT_LT(seen->in_all, Bytes::mib(150));
}

TEST(Growth, IsNotWhatFallsBackOnItsWay) {
    // Emptied once, and filled again along the same line.
    EXPECT_FALSE(
        grows(series([](double x) { return 100 + 600 * x - (x > 0.62 && x < 0.7 ? 205 : 0); })));
}

TEST(Growth, IsNotWhatIsSmall) {
    EXPECT_FALSE(grows(series([](double x) { return 100 + 60 * x; })));
    // A tenth of a small limit is not small.
    const GrowthSeries s = series([](double x) { return 100 + 60 * x; });
    EXPECT_TRUE(judge_growth(s, Bytes::mib(512)));
}

TEST(Growth, IsNotWhatTheErrorExplains) {
    GrowthSeries s = series([](double x) { return 100 + 300 * x; });
    s.error = 100 * mib;
    EXPECT_FALSE(grows(s));
}

TEST(Growth, BeforeTheFirstStepIsNotGrowthPerStep) {
    GrowthSeries s = series([](double x) { return 100 + 900 * std::min(x, 0.5); });
    for (std::size_t i = 0; i < s.points.size(); ++i) s.points[i].step = i < 8 ? 0 : 10 * (i - 7);
    EXPECT_FALSE(grows(s));
}

TEST(Growth, OfNothingIsNothing) {
    EXPECT_FALSE(judge_growth({}, std::nullopt));
    EXPECT_FALSE(grows(series([](double) { return 0; })));
    EXPECT_FALSE(grows(series([](double x) { return 900 - 800 * x; })));
}

}  // namespace
}  // namespace holdfast
