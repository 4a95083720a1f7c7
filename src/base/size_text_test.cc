#include "base/size_text.h"

#include <gtest/gtest.h>

namespace holdfast {
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
