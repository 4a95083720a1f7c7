#include "evidence/run_clock.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(RunClock, TellsTimesSinceTheStartAndBeforeIt) {
    const RunClock clock{1'000};
    EXPECT_EQ(clock.at(1'500), Nanos(500));
    EXPECT_EQ(clock.at(400), Nanos(-600));
}

TEST(RunClock, NeverIsNoTime) { EXPECT_EQ(RunClock{5}.known(format::never), std::nullopt); }

TEST(RunClock, AbsurdTimesStayWithinAHundredYears) {
    EXPECT_EQ(RunClock{INT64_MIN}.at(INT64_MAX), Nanos(far_off));
    EXPECT_EQ(RunClock{INT64_MAX}.at(INT64_MIN), Nanos(-far_off));
    // and the difference of any two results still fits
    EXPECT_GT(RunClock{INT64_MIN}.at(0) - RunClock{INT64_MAX}.at(INT64_MIN), Nanos(0));
}

}  // namespace
}  // namespace holdfast
