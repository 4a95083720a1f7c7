#include "check/version.h"

#include <gtest/gtest.h>

namespace holdfast::check {
namespace {

TEST(Version, OrderFollowsPep440) {
    const char* const ascending[] = {"1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0",  "1.0.post1",
                                     "1.0.1",    "1.1",   "1.10",  "2",      "1!0.1"};
    for (std::size_t i = 0; i + 1 < std::size(ascending); ++i)
        EXPECT_LT(*parse_version(ascending[i]), *parse_version(ascending[i + 1])) << ascending[i];
    EXPECT_EQ(*parse_version("1.0"), *parse_version("1.0.0"));
    EXPECT_EQ(*parse_version("2.11.0+cu130"), *parse_version("2.11"));
}

TEST(Version, SpecifiersFitAsPipReadsThem) {
    EXPECT_EQ(fits("<2,>=1.21", "1.26.4"), true);
    EXPECT_EQ(fits("<2,>=1.21", "2.0.1"), false);
    EXPECT_EQ(fits("==2.5.1", "2.5.1+cu124"), true);
    EXPECT_EQ(fits("==2.5.1+cpu", "2.5.1+cu124"), false);
    EXPECT_EQ(fits("==2.5.*", "2.5.1"), true);
    EXPECT_EQ(fits("==2.5.*", "2.50"), false);
    EXPECT_EQ(fits("~=1.4", "1.9"), true);
    EXPECT_EQ(fits("~=1.4", "2.0"), false);
    EXPECT_EQ(fits("~=1.4.2", "1.5"), false);
    EXPECT_EQ(fits("!=4.21.0,<6.0.0dev", "5.29.3"), true);
    EXPECT_EQ(fits("<2", "2.0rc1"), false);
    EXPECT_EQ(fits("", "anything?"), std::nullopt);
}

TEST(Version, WhatIsNotUnderstoodIsUnknown) {
    EXPECT_EQ(fits("===weird", "1"), std::nullopt);
    EXPECT_EQ(fits(">=1.0", "main"), std::nullopt);
    EXPECT_EQ(fits(">=one", "1.0"), std::nullopt);
    EXPECT_EQ(fits("=>1", "1.0"), std::nullopt);
}

}  // namespace
}  // namespace holdfast::check
