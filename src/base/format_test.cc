#include "base/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast {
namespace {

TEST(Format, PutsTextAndNumbersIn) {
    EXPECT_EQ(formatted("nothing"), "nothing");
    EXPECT_EQ(formatted("{} of {}", 3, std::string("four")), "3 of four");
    EXPECT_EQ(formatted("{1} {0} {1}", "a", 'b'), "b a b");
    EXPECT_EQ(formatted("{}{}", true, std::string_view("!")), "true!");
    EXPECT_EQ(formatted("{{{}}}", 1), "{1}");
    EXPECT_EQ(formatted("{}", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(formatted("{}", std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Format, RoundsAsAsked) {
    EXPECT_EQ(formatted("{:.1f}", 0.25), "0.2");
    EXPECT_EQ(formatted("{:.0f}%", 99.6), "100%");
    EXPECT_EQ(formatted("{:.4g}", 1234567.0), "1.235e+06");
    EXPECT_EQ(formatted("{} {}", 0.1, 2.0), "0.1 2");
    EXPECT_EQ(formatted("{}", std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(formatted("{:.3f}", 1e300).size(), 305U);
}

TEST(Format, FillsAWidth) {
    EXPECT_EQ(formatted("{:02}:{:02}", 7, 12), "07:12");
    EXPECT_EQ(formatted("{:04}", -7), "-007");
    EXPECT_EQ(formatted("{:x} {:#x} {:08x}", 255, 255U, 0xBEEFU), "ff 0xff 0000beef");
    EXPECT_EQ(formatted("{:>{}}|{:<{}}|", "ab", 4, 1, 3), "  ab|1  |");
    EXPECT_EQ(formatted("{:<4}|{:<4}|", "ä", "longer"), "ä   |longer|");
    EXPECT_EQ(formatted("{:>{}}", "x", -3), "x");
}

}  // namespace
}  // namespace holdfast
