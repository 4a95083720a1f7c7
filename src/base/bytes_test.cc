#include "base/bytes.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Bytes, ReadsAsPeopleWriteIt) {
    EXPECT_EQ(human(Bytes{0}), "0 B");
    EXPECT_EQ(human(Bytes{900}), "900 B");
    EXPECT_EQ(human(Bytes::mib(512)), "512 MiB");
    EXPECT_EQ(human(Bytes::mib(1536)), "1.5 GiB");
    EXPECT_EQ(human(Bytes{(1ULL << 30U) - 1}), "1 GiB");
    EXPECT_EQ(human(Bytes{~0ULL}), "16 EiB");
}

TEST(Bytes, DifferencesStopAtNothing) {
    EXPECT_EQ(Bytes::kib(1) - Bytes::kib(2), Bytes{0});
    EXPECT_EQ(Bytes::kib(3) - Bytes::kib(2), Bytes::kib(1));
}

TEST(Bytes, AShareOfNothingIsNothing) {
    EXPECT_DOUBLE_EQ(Bytes::mib(1).share_of(Bytes{0}), 0.0);
    EXPECT_DOUBLE_EQ(Bytes::mib(1).share_of(Bytes::mib(4)), 0.25);
}

}  // namespace

namespace {

TEST(SizeText, TakesTheUnitsPeopleWrite) {
    for (const auto& [text, size] :
         std::vector<std::pair<std::string, Bytes>>{{"24GiB", Bytes::gib(24)},
                                                    {"24 GB", Bytes::gib(24)},
                                                    {"10gb", Bytes::gib(10)},
                                                    {"512MiB", Bytes::mib(512)},
                                                    {"512m", Bytes::mib(512)},
                                                    {"1.5G", Bytes::mib(1536)},
                                                    {" 64 KiB ", Bytes::kib(64)},
                                                    {"2T", Bytes::gib(2048)},
                                                    {"100B", Bytes{100}},
                                                    {"67108864", Bytes::mib(64)},
                                                    {"0", Bytes{}}}) {
        const auto parsed = parse_size(text);
        ASSERT_TRUE(parsed) << parsed.error().text;
        EXPECT_EQ(*parsed, size) << text;
    }
}

TEST(SizeText, ANumberAloneIsAskedForItsUnit) {
    for (const std::string text : {"5", "64", "4090", "1000", "1.5"}) {
        const auto parsed = parse_size(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_NE(parsed.error().text.find("has no unit; write " + text + "MiB"), std::string::npos)
            << parsed.error().text;
    }
}

TEST(SizeText, WhatIsNoSizeIsAnError) {
    for (const std::string text :
         {"", "much", "-5MiB", "RTX 4090", "24 parsecs", "5iB", "1.2.3G", "99999999999T", "G"})
        EXPECT_FALSE(parse_size(text)) << text;
}

}  // namespace

}  // namespace holdfast
